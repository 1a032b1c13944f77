"use strict";
// Functions with their counts: sorted by a column, filtered by name.
views.functions = (() => {
  const { byId, make, number } = page;
  /** Rows that are shown at first. */
  const FIRST = 100;
  const all = trace.instructions;
  const share = (n) => (all ? (100 * n) / all : 0);
  const COLUMNS = [["Function", (f) => f.name], ["Own", (f) => f.own], ["Own %", (f) => f.own], ["Total", (f) => f.total], ["Total %", (f) => f.total]];
  let order = { column: 1, down: true };
  let most = FIRST;
  const filter = make("input", { type: "search", id: "function-filter", placeholder: "part of a name", oninput: () => { most = FIRST; draw(); } });
  const shown = make("span", { role: "status", id: "function-count" });
  const more = make("button", { id: "function-more", onclick: () => { most = Infinity; draw(); } }, "Show all");
  const body = make("tbody");
  const heads = COLUMNS.map(([title], column) => make("th", { scope: "col", class: column ? "number" : "" },
    make("button", { class: "plain", onclick: () => {
      order = { column, down: order.column === column ? !order.down : column > 0 };
      draw();
    } }, title)));
  byId("functions-body").append(
    make("div", { class: "controls" }, make("label", { for: "function-filter" }, "Filter"), filter, shown, more),
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of functions" },
      make("table", { id: "function-table" }, make("thead", {}, make("tr", {}, ...heads)), body)));

  const percent = (n) => make("td", { class: "number bar", style: `--share:${share(n)}%` }, `${share(n).toFixed(1)}`);
  const name = (f) => {
    if (f.source === null && f.listing === null) return f.name;
    return make("button", { class: "plain", title: "show its code", onclick: () => views.code.open(f) }, f.name);
  };
  const draw = () => {
    const pattern = filter.value.trim().toLowerCase();
    const of = COLUMNS[order.column][1];
    const compare = order.column ? (a, b) => of(a) - of(b) : (a, b) => of(a).localeCompare(of(b), undefined, { numeric: true });
    const found = trace.functions.filter((f) => f.name.toLowerCase().includes(pattern));
    found.sort((a, b) => (order.down ? compare(b, a) : compare(a, b)));
    body.replaceChildren(...found.slice(0, most).map((f) => make("tr", {}, make("td", {}, name(f)),
      make("td", { class: "number" }, number(f.own, 0)), percent(f.own),
      make("td", { class: "number" }, number(f.total, 0)), percent(f.total))));
    heads.forEach((th, i) => {
      const sorted = i === order.column;
      th.classList.toggle("up", sorted && !order.down);
      th.classList.toggle("down", sorted && order.down);
      th.setAttribute("aria-sort", sorted ? (order.down ? "descending" : "ascending") : "none");
    });
    shown.textContent = `${number(Math.min(most, found.length), 0)} of ${number(found.length, 0)} functions`;
    more.hidden = found.length <= most;
  };
  draw();
  return { draw };
})();

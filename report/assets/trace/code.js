"use strict";
// Source files with executions of lines and branches; disassembly of functions without source.
views.code = (() => {
  const { byId, make, number } = page;
  /** Lines that are shown at once. */
  const PART = 2000;
  const place = byId("code-body");
  const percent = ([found, hit]) => (found ? `${((100 * hit) / found).toFixed(1)} %` : "–");
  const counts = ([found, hit]) => `${number(hit, 0)} of ${number(found, 0)}`;
  const texts = trace.sources.map((s, i) => ({ ...s, key: `s${i}` }));
  const readable = texts.filter((s) => s.text !== null);

  const summary = () => {
    const p = trace.parts;
    if (p === null) return make("p", {}, "The program has no line tables; it must be built with -g. Functions are shown as disassembly.");
    return make("p", { id: "coverage" }, `Executed: ${counts(p.lines)} lines, ${percent(p.lines)}; ` +
      `${counts(p.branches)} outcomes of branches, ${percent(p.branches)}; ${counts(p.functions)} functions, ${percent(p.functions)}.`);
  };
  const files = () => {
    if (!texts.length) return "";
    const row = (s) => make("tr", {}, make("td", {}, s.text === null ? s.path :
      make("button", { class: "plain", onclick: () => choose(s.key) }, s.path)),
    ...[s.parts.lines, s.parts.branches, s.parts.functions].flatMap((p) =>
      [make("td", { class: "number" }, counts(p)), make("td", { class: "number" }, percent(p))]));
    const heads = ["File", "Lines", "", "Branch outcomes", "", "Functions", ""];
    return make("details", { open: "" }, make("summary", {}, `Coverage of ${number(texts.length, 0)} files`),
      make("div", { class: "scroll low", tabindex: 0, role: "region", "aria-label": "Coverage of files" }, make("table", { id: "files" },
        make("thead", {}, make("tr", {}, ...heads.map((h, i) => make("th", { scope: "col", class: i ? "number" : "" }, h)))),
        make("tbody", {}, ...texts.map(row)))));
  };
  const option = (value, text) => make("option", { value }, text);
  const select = make("select", { id: "code-select", onchange: () => choose(select.value) });
  if (readable.length) select.append(make("optgroup", { label: "Source" }, ...readable.map((s) => option(s.key, s.path))));
  if (trace.listings.length) {
    select.append(make("optgroup", { label: "Disassembly" }, ...trace.listings.map((l, i) => option(`l${i}`, l.name))));
  }
  const next = make("button", { id: "code-next", onclick: () => goOn() }, "Next not executed");
  const status = make("span", { role: "status", id: "code-status" });
  const parts = make("div", { class: "controls" });
  const area = make("div", { class: "scroll code", tabindex: 0, role: "region", "aria-label": "Code with executions" });
  const controls = make("div", { class: "controls" }, make("label", { for: "code-select" }, "Code"), select, next, status);

  // what is shown: rows of {label, count, branches, text}, from row `first` on
  let rows = [];
  let first = 0;
  let last = -1;
  const sourceRows = (s) => {
    const of = new Map(s.lines.map(([line, count, branches]) => [line, { count, branches }]));
    return s.text.replace(/\n$/, "").split("\n").map((text, i) => {
      const { count = null, branches = [] } = of.get(i + 1) || {};
      return { label: String(i + 1), count, branches, text: text.replace(/\r$/, "") };
    });
  };
  const listingRows = (l) => l.code.map(([label, text, count, branch]) => ({ label, text, count, branches: branch ? [branch] : [] }));
  const never = (r) => r.count === 0;
  const oneWay = (r) => r.count > 0 && r.branches.some((ways) => ways.some((n) => n === 0));
  const ways = (r) => r.branches.map(([no, yes]) => (no + yes ? `${number(yes, 0)} taken, ${number(no, 0)} not` : "not executed")).join("; ");
  const tr = (r, i) => {
    const kind = never(r) ? "never" : oneWay(r) ? "one-way" : "";
    const sign = never(r) ? "✕" : oneWay(r) ? "◐" : "";
    const label = never(r) ? "not executed" : oneWay(r) ? "a branch always went the same way" : null;
    return make("tr", { class: kind, id: `row-${i}` }, make("th", { scope: "row" }, r.label),
      make("td", { class: "number" }, r.count === null ? "" : number(r.count, 0)),
      make("td", { class: "sign" }, label ? make("span", { role: "img", "aria-label": label, title: label }, sign) : ""),
      make("td", { class: "ways" }, ways(r)), make("td", { class: "text" }, make("code", {}, r.text)));
  };
  const draw = () => {
    const end = Math.min(first + PART, rows.length);
    const heads = ["Line", "Executions", "", "Branches", "Code"];
    area.replaceChildren(make("table", { id: "code-table" },
      make("thead", {}, make("tr", {}, ...heads.map((h) => make("th", { scope: "col" }, h)))),
      make("tbody", {}, ...rows.slice(first, end).map((r, i) => tr(r, first + i)))));
    const move = (to, text) => make("button", { onclick: () => { first = to; draw(); area.scrollTop = 0; } }, text);
    parts.replaceChildren(...(rows.length > PART ? [`Lines ${first + 1} to ${end} of ${rows.length}`] : []));
    if (first > 0) parts.append(move(Math.max(0, first - PART), "Previous lines"));
    if (end < rows.length) parts.append(move(end, "Next lines"));
  };
  const reveal = (i, focus = true) => {
    if (i < first || i >= first + PART) {
      first = Math.floor(i / PART) * PART;
      draw();
    }
    area.querySelectorAll(".here").forEach((e) => e.classList.remove("here"));
    const row = byId(`row-${i}`);
    row.classList.add("here");
    area.scrollTop = row.offsetTop - area.clientHeight / 3;
    last = i;
    if (focus) area.focus({ preventScroll: true });
  };
  const goOn = () => {
    const bad = (r) => never(r) || oneWay(r);
    const after = rows.findIndex((r, i) => i > last && bad(r) && !(never(r) && i && never(rows[i - 1]) && i - 1 > last));
    const at = after >= 0 ? after : rows.findIndex(bad);
    if (at >= 0) {
      reveal(at);
      status.textContent = `${rows[at].label}: ${never(rows[at]) ? "not executed" : "a branch always went the same way"}`;
    }
  };
  const choose = (key) => {
    select.value = key;
    const at = Number(key.slice(1));
    rows = key[0] === "s" ? sourceRows(texts[at]) : listingRows(trace.listings[at]);
    first = 0;
    last = -1;
    const code = rows.filter((r) => r.count !== null);
    status.textContent = `${number(code.filter((r) => r.count > 0).length, 0)} of ${number(code.length, 0)} ` +
      `${key[0] === "s" ? "lines" : "instructions"} executed`;
    next.disabled = !code.some((r) => never(r) || oneWay(r));
    draw();
    area.scrollTop = 0;
  };
  /** Shows the code of a function. */
  const open = (f) => {
    if (f.source !== null) {
      choose(texts[f.source[0]].key);
      reveal(f.source[1] - 1);
    } else {
      choose(`l${f.listing}`);
      area.focus({ preventScroll: true });
    }
    byId("code").scrollIntoView({ behavior: "instant" });
  };

  place.append(summary(), files());
  if (select.options.length) {
    place.append(controls, parts, area);
    const best = trace.functions.find((f) => f.source !== null || f.listing !== null);
    if (best && best.source !== null) {
      choose(texts[best.source[0]].key);
      reveal(best.source[1] - 1, false);
    } else choose(select.options[0].value);
  } else place.append(make("p", {}, "No code is known."));
  return { open, choose };
})();

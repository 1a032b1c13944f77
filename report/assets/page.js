"use strict";
// Shared by all pages: sortable tables, plots with a common style, and filters that are kept in the URL.
const page = (() => {
  // the one colour that a dark screen hides
  if (matchMedia("(prefers-color-scheme: dark)").matches) COLOURS.forEach((c, i) => { if (c === "#3c3c3c") COLOURS[i] = "#b4b4b4"; });

  const byId = (id) => document.getElementById(id);
  const data = (id) => JSON.parse(byId(id).textContent);

  /** Creates an element with attributes and children. */
  const make = (tag, attributes = {}, ...children) => {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
      else e.setAttribute(name, value);
    }
    e.append(...children);
    return e;
  };

  const empty = (place, text) => {
    if (place.data) Plotly.purge(place);
    drawn.delete(place.id);
    place.replaceChildren(make("div", { class: "none" }, text));
  };

  /** Formats a number for display; null is a dash. */
  const number = (value, digits) => {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    const text = value.toFixed(digits);
    const [whole, part] = text.split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
    return part === undefined ? grouped : `${grouped}.${part}`;
  };

  /** Fills an element with a table of {columns: [{title, digits}], rows}. The sort order is kept when redrawn. */
  const table = (id, { columns, rows }) => {
    const place = byId(id);
    const order = place.order || (place.order = { column: -1, down: false });
    const body = make("tbody");
    const head = make("tr");
    const fill = () => {
      const sorted = rows.slice();
      const { column, down } = order;
      if (column >= 0 && column < columns.length) {
        const words = columns[column].digits === null;
        const low = (v) => (v === null || v === undefined ? -Infinity : v);
        const compare = words
          ? (a, b) => String(a[column]).localeCompare(String(b[column]), undefined, { numeric: true })
          : (a, b) => low(a[column]) - low(b[column]);
        sorted.sort((a, b) => (down ? compare(b, a) : compare(a, b)));
      }
      body.replaceChildren(
        ...sorted.map((row) =>
          make("tr", {}, ...row.map((cell, i) => {
            const digits = columns[i].digits;
            return digits === null
              ? make("td", {}, cell === null ? "–" : String(cell))
              : make("td", { class: "number" }, number(cell, digits));
          }))));
      [...head.children].forEach((th, i) => {
        th.classList.toggle("up", i === column && !down);
        th.classList.toggle("down", i === column && down);
        th.setAttribute("aria-sort", i !== column ? "none" : down ? "descending" : "ascending");
      });
    };
    columns.forEach((c, i) => {
      const click = () => {
        order.down = order.column === i ? !order.down : c.digits !== null;
        order.column = i;
        fill();
      };
      const key = (e) => {
        if (e.key !== "Enter" && e.key !== " ") return;
        e.preventDefault();
        click();
      };
      head.append(make("th", { class: c.digits === null ? "" : "number", scope: "col", tabindex: 0, onclick: click, onkeydown: key }, c.title));
    });
    fill();
    place.replaceChildren(make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), body)));
  };

  /** A colour of the style sheet, which has others for dark screens. */
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  const axis = (a) => {
    const out = { title: { text: a.title }, zeroline: false, gridcolor: colour("line"), linecolor: colour("soft"), ticks: "outside", tickcolor: colour("soft"), automargin: true };
    if (a.log) Object.assign(out, { type: "log", tickformat: "~g", dtick: a.dtick });
    if (a.categories && a.categories.length) {
      Object.assign(out, { tickmode: "array", tickvals: a.categories.map((_, i) => i), ticktext: a.categories });
    }
    return out;
  };

  /** What each element shows, to draw it again when the screen becomes dark or narrow. */
  const drawn = new Map();
  const NARROW = 560;

  /** Draws plotly traces in an element, in the common style. */
  const plot = (id, traces, options) => {
    const { title, x, y, height = 420, layout = {} } = options;
    const place = byId(id);
    drawn.set(id, () => plot(id, traces, options));
    if (!traces.length) {
      empty(place, `${title}: no such values in the selection`);
      return;
    }
    if (!place.data) place.replaceChildren();
    const full = {
      title: { text: title, x: 0, xref: "paper", font: { size: 15 } },
      font: { family: "system-ui, DejaVu Sans, sans-serif", size: 12.5, color: colour("ink") },
      height, margin: { l: 60, r: 16, t: 44, b: 48 }, colorway: COLOURS, hovermode: "closest",
      xaxis: axis(x), yaxis: axis(y), legend: { font: { size: 12 } }, barmode: "group",
      paper_bgcolor: colour("paper"), plot_bgcolor: colour("paper"), ...layout,
    };
    // next to a narrow plot, a legend would leave it no width
    if (place.clientWidth < NARROW && !layout.legend) Object.assign(full, { legend: { font: { size: 11 }, orientation: "h", y: -0.25 }, height: height + 18 * Math.ceil(traces.length / 2) });
    const config = {
      displaylogo: false, responsive: true,
      toImageButtonOptions: { format: "svg", filename: id },
      modeBarButtons: [["toImage", "resetScale2d"]],
    };
    Plotly.react(place, traces, full, config);
  };

  const again = () => drawn.forEach((draw, id) => (byId(id) ? draw() : drawn.delete(id)));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  matchMedia(`(max-width: ${NARROW + 60}px)`).addEventListener("change", again);

  const MODES = { line: "lines", points: "markers", steps: "lines" };

  /** Draws a figure in the form that the library writes. */
  const figure = (id, f) => {
    const traces = f.series.map((s) => {
      const bars = s.style === "bars" || s.style === "stack";
      const t = {
        name: s.name, x: s.points.map((p) => p[0]), y: s.points.map((p) => p[1]),
        type: bars ? "bar" : "scatter", showlegend: s.name !== "",
      };
      if (!bars) t.mode = MODES[s.style];
      if (s.style === "steps") t.line = { shape: "hv" };
      if (s.labels.length) Object.assign(t, { text: s.labels, hovertemplate: "%{text}<br>%{x}, %{y}<extra></extra>" });
      if (s.ranges.length) t.error_y = ranges(s.points.map((p) => p[1]), s.ranges);
      return t;
    });
    const stacked = f.series.some((s) => s.style === "stack");
    plot(id, traces, { title: f.title, x: f.x, y: f.y, layout: { barmode: stacked ? "stack" : "group" } });
  };

  /** Error bars from minimum to maximum. */
  const ranges = (values, limits) => ({
    type: "data", symmetric: false, thickness: 1, width: 3, color: colour("soft"),
    array: values.map((v, i) => limits[i][1] - v), arrayminus: values.map((v, i) => v - limits[i][0]),
  });

  /**
   * Buttons that select values of each facet; `change` gets the selected rows. The selection is stored in the URL
   * after `#`, so that a view can be shared. `first` has the initial selection of facets that are not in the URL;
   * without it, everything is selected.
   */
  const filters = (id, rows, facets, change, first = {}) => {
    const values = new Map(facets.map((f) => [f, [...new Set(rows.map((r) => String(r[f])))]]));
    const usual = new Map(facets.map((f) => [f, new Set(first[f] || values.get(f))]));
    const chosen = new Map(usual);
    const same = (a, b) => a.size === b.size && [...a].every((v) => b.has(v));
    const read = () => {
      const given = new URLSearchParams(location.hash.slice(1));
      for (const f of facets) {
        const all = values.get(f);
        chosen.set(f, given.has(f) ? new Set(given.getAll(f).filter((v) => all.includes(v))) : usual.get(f));
      }
    };
    const write = () => {
      const out = new URLSearchParams();
      for (const f of facets) {
        if (!same(chosen.get(f), usual.get(f))) {
          // an empty selection must be distinguished from no selection
          if (!chosen.get(f).size) out.append(f, "");
          chosen.get(f).forEach((v) => out.append(f, v));
        }
      }
      const text = out.toString();
      history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
    };
    const place = byId(id);
    place.className = "filters";
    const draw = () => {
      place.replaceChildren(
        ...facets.filter((f) => values.get(f).length > 1).map((f) => {
          const set = (next) => {
            chosen.set(f, next);
            write();
            update();
          };
          const button = (v) => {
            const on = chosen.get(f).has(v);
            const click = (e) => {
              const next = new Set(chosen.get(f));
              if (e.shiftKey) {
                next.clear();
                next.add(v);
              } else if (!next.delete(v)) next.add(v);
              set(next);
            };
            return make("button", { "data-facet": f, "data-value": v, "aria-pressed": on, onclick: click, title: "click: on or off; with shift: only this" }, v === "" ? "(none)" : v);
          };
          const all = make("button", { class: "plain", "data-all": f, onclick: () => set(new Set(values.get(f))) }, "all");
          const none = make("button", { class: "plain", "data-none": f, onclick: () => set(new Set()) }, "none");
          return make("fieldset", {}, make("legend", {}, f), ...values.get(f).map(button), all, none);
        }));
    };
    const update = () => {
      draw();
      change(rows.filter((r) => facets.every((f) => chosen.get(f).has(String(r[f])))));
    };
    window.addEventListener("hashchange", () => {
      read();
      update();
    });
    read();
    update();
  };

  /** A row of buttons of which one is pressed; returns a function that returns it. */
  const choice = (id, label, options, change) => {
    let now = options[0][0];
    const place = byId(id);
    const draw = () =>
      place.replaceChildren(make("div", { class: "controls" }, label, ...options.map(([value, text]) =>
        make("button", { "data-choice": id, "data-value": value, "aria-pressed": value === now, onclick: () => { now = value; draw(); change(); } }, text))));
    draw();
    return () => now;
  };

  return { byId, data, make, empty, number, table, colour, plot, figure, ranges, filters, choice };
})();

"use strict";
// Functions, tasks, traps and gaps of all cores over time, on a canvas that can be zoomed and panned.
views.timeline = (() => {
  const { byId, make, number } = page;
  const t = trace.timeline;
  const length = Math.max(1, t.length);
  const ROW = 15;
  const MARKS = 12;
  /** Height that the default depth keeps to. */
  const HEIGHT = 520;
  /** Spans of a row as {start, end, name, calls}, each an array. */
  const decode = (flat, track) => {
    const n = flat.length / 4;
    const row = { n, track, start: new Float64Array(n), end: new Float64Array(n), name: new Uint32Array(n), calls: new Uint32Array(n) };
    for (let i = 0, end = 0; i < n; i++) {
      row.start[i] = end + flat[4 * i];
      row.end[i] = end = row.start[i] + flat[4 * i + 1];
      row.name[i] = flat[4 * i + 2];
      row.calls[i] = flat[4 * i + 3];
    }
    return row;
  };
  /** `track` names the row in all levels. */
  const decodeCores = (of) => of.map((c, n) => ({ rows: c.rows.map((row, d) => decode(row, `${n} ${d}`)), tasks: decode(c.tasks, `${n} task`),
    traps: decode(c.traps, `${n} trap`), gaps: decode(c.gaps, `${n} gap`) }));
  const cores = decodeCores(t.cores);
  /** What is drawn: the whole run, or a part from the server in which shorter calls are not merged. */
  const whole = { from: 0, to: length, width: t.width, cores };
  let level = whole;
  const causes = new Map(t.causes.map(([n, name, count]) => [n, { name, count }]));
  /** The first span that ends after `time`. */
  const after = (row, time) => {
    let low = 0;
    let high = row.n;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (row.end[mid] > time) high = mid;
      else low = mid + 1;
    }
    return low;
  };
  const at = (row, time) => {
    const i = after(row, time);
    return i < row.n && row.start[i] <= time ? i : -1;
  };

  let from = 0;
  let to = length;
  let pattern = "";
  let names = new Set();
  let selected = null;
  const deepest = Math.max(1, ...cores.map((c) => c.rows.length));
  const heights = (d) => cores.map((c) => 18 + (c.traps.n ? MARKS : 0) + (c.tasks.n ? ROW : 0) + ROW * Math.min(d, Math.max(1, c.rows.length)) + 6);
  const total = (d) => heights(d).reduce((a, b) => a + b, 0);
  let depth = deepest;
  while (depth > 2 && total(depth) > HEIGHT) depth -= 1;

  const canvas = make("canvas");
  const axis = make("canvas", { id: "timeline-axis", "aria-hidden": "true" });
  const tracks = make("div", { class: "tracks", id: "tracks", tabindex: 0, role: "application", "aria-roledescription": "timeline",
    "aria-label": `Timeline of ${cores.length} cores. Arrow keys pan, plus and minus zoom, Home shows the whole run, N and P go to matches.`,
    "aria-describedby": "timeline-status" }, canvas);
  const status = make("p", { class: "line", role: "status", id: "timeline-status" });
  const tip = make("p", { class: "line", id: "timeline-tip" });
  const search = make("input", { type: "search", id: "timeline-search", placeholder: "part of a name", oninput: () => find(search.value) });
  const matched = make("span", { role: "status", id: "timeline-matches" });
  const button = (id, text, click) => make("button", { id: `timeline-${id}`, onclick: click }, text);
  const depths = make("select", { id: "timeline-depth", onchange: () => { depth = Number(depths.value); draw(); } },
    ...Array.from({ length: deepest }, (_, i) => make("option", { value: i + 1 }, `${i + 1}`)));
  depths.value = depth;
  const marks = [["trap", cores.some((c) => c.traps.n), (c) => c.traps], ["gap", cores.some((c) => c.gaps.n), (c) => c.gaps]];
  const legend = make("div", { class: "legend" });
  const item = (name, text) => legend.append(make("span", {}, make("i", { class: name, "aria-hidden": "true" }), text));
  if ([...causes.keys()].some((n) => n >= t.interrupt)) item("interrupt", "interrupt");
  if ([...causes.keys()].some((n) => n < t.interrupt)) item("exception", "exception");
  if (cores.some((c) => c.gaps.n)) item("gap", "gap: lost instructions");
  if (t.damaged) item("gap", "end: damage");
  const merged = make("span", { id: "timeline-merged" });
  if (t.width) {
    item("merged", "");
    legend.lastChild.append(merged);
  }
  byId("timeline-body").append(
    make("div", { class: "controls" },
      button("in", "Zoom in", () => scale(0.5)), button("out", "Zoom out", () => scale(2)),
      button("left", "Left", () => pan(-0.5)), button("right", "Right", () => pan(0.5)), button("whole", "Whole run", () => view(0, length)),
      make("label", { for: "timeline-depth" }, "Depth"), depths,
      make("label", { for: "timeline-search" }, "Search"), search,
      button("previous", "Previous match", () => step(-1)), button("next", "Next match", () => step(1)), matched,
      ...marks.filter(([, any]) => any).map(([name, , of]) => button(name, `Next ${name}`, () => toMark(of)))),
    legend, status, axis, tracks, tip);
  if (t.causes.length) {
    byId("timeline-body").append(make("details", { id: "causes" }, make("summary", {}, "Traps by cause"), make("table", {},
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Cause"), make("th", { scope: "col", class: "number" }, "Traps"))),
      make("tbody", {}, ...t.causes.map(([, name, count]) => make("tr", {}, make("td", {}, name), make("td", { class: "number" }, number(count, 0))))))));
  }

  const view = (a, b) => {
    const width = Math.min(length, Math.max(4, b - a));
    from = Math.max(0, Math.min(a, length - width));
    to = from + width;
    draw();
  };
  const scale = (factor, middle = (from + to) / 2) => view(middle - (middle - from) * factor, middle + (to - middle) * factor);
  const pan = (share) => view(from + share * (to - from), to + share * (to - from));

  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const spanText = (row, i, list) => (row.calls[i] > 1 ? `${list[row.name[i]]} and others ×${number(row.calls[i], 0)}` : list[row.name[i]]);
  const isSelected = (row, i) => selected && selected.row.track === row.track && selected.row.start[selected.i] === row.start[i] && selected.row.end[selected.i] === row.end[i];
  let laid = [];
  const setUp = (c, width, height) => {
    const ratio = window.devicePixelRatio || 1;
    if (c.width !== Math.round(width * ratio) || c.height !== Math.round(height * ratio)) {
      c.width = Math.round(width * ratio);
      c.height = Math.round(height * ratio);
    }
    if (c === canvas) c.style.height = `${height}px`;
    const g = c.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    return g;
  };
  const drawAxis = (width) => {
    const g = setUp(axis, width, 22);
    g.font = "11px system-ui, sans-serif";
    g.fillStyle = css("--soft");
    g.textBaseline = "middle";
    const rough = ((to - from) * 110) / width;
    const power = 10 ** Math.floor(Math.log10(rough));
    const tick = Math.max(1, power * [1, 2, 5, 10].find((m) => m * power >= rough));
    for (let v = Math.ceil(from / tick) * tick; v <= to; v += tick) {
      const x = ((v - from) / (to - from)) * width;
      g.fillRect(x, 16, 1, 6);
      if (x < width - 60) g.fillText(number(v, 0), x + 3, 10);
    }
  };
  let pending = false;
  const draw = () => {
    served?.follow();
    merged.textContent = level.width ? `merged calls, each shorter than ${number(level.width, 0)} ${t.axis}` : "merged calls: none here";
    if (!pending) {
      pending = true;
      requestAnimationFrame(() => { pending = false; paint(); });
    }
    report();
  };
  const paint = () => {
    const width = Math.max(100, tracks.clientWidth);
    const perPixel = (to - from) / width;
    const x = (time) => (time - from) / perPixel;
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    drawAxis(width);
    const g = setUp(canvas, width, total(depth));
    const colour = { ink: css("--ink"), soft: css("--soft"), line: css("--line"), mark: css("--mark"), warn: css("--warn"), bad: css("--bad") };
    g.textBaseline = "middle";
    laid = [];
    const spans = (row, top, list, core, kind) => {
      laid.push({ top, row, list, core, kind });
      g.font = "11px ui-monospace, DejaVu Sans Mono, monospace";
      for (let i = after(row, from); i < row.n && row.start[i] < to;) {
        const left = Math.max(0, x(row.start[i]));
        const right = Math.min(width, x(row.end[i]));
        const name = list[row.name[i]];
        const other = pattern && !names.has(name);
        g.fillStyle = other ? (dark ? "#2a3138" : "#e7eaed") : `hsl(${views.hue(name)} 55% ${dark ? (row.calls[i] > 1 ? 26 : 34) : row.calls[i] > 1 ? 84 : 74}%)`;
        g.fillRect(left, top, Math.max(1, right - left - (right - left > 3 ? 0.5 : 0)), ROW - 1);
        if (row.calls[i] > 1 && right - left > 5) {
          g.fillStyle = dark ? "#ffffff22" : "#00000018";
          for (let s = left + 1; s < right; s += 3) g.fillRect(s, top, 1, ROW - 1);
        }
        if (pattern && !other) {
          g.strokeStyle = colour.bad;
          g.strokeRect(left + 0.5, top + 0.5, Math.max(1, right - left - 1), ROW - 2);
        }
        if (isSelected(row, i)) {
          g.strokeStyle = colour.ink;
          g.strokeRect(left + 0.5, top + 0.5, Math.max(1, right - left - 1), ROW - 2);
        }
        const room = Math.floor((right - left - 6) / 6.7);
        if (room >= 2) {
          g.fillStyle = other ? colour.soft : colour.ink;
          g.fillText(spanText(row, i, list).slice(0, room), left + 3, top + ROW / 2);
        }
        // what is narrower than a pixel is skipped
        i = right - left < 1 ? Math.max(i + 1, after(row, from + (left + 1) * perPixel)) : i + 1;
      }
    };
    let top = 0;
    cores.forEach((c, n) => {
      const height = heights(depth)[n];
      g.fillStyle = colour.soft;
      g.font = "12px system-ui, sans-serif";
      g.fillText(`core ${n}`, 4, top + 9);
      let y = top + 18;
      const shown = level.cores[n];
      if (c.traps.n) {
        laid.push({ top: y, row: shown.traps, list: null, core: n, kind: "trap" });
        let lastX = -2;
        for (let i = after(shown.traps, from - 1); i < shown.traps.n && shown.traps.start[i] <= to; i++) {
          const left = x(shown.traps.start[i]);
          const wide = Math.max(0, x(shown.traps.end[i]) - left);
          if (left + wide - lastX < 1.5) continue;
          lastX = left + wide;
          g.fillStyle = shown.traps.name[i] >= t.interrupt ? colour.mark : colour.warn;
          if (wide > 3) g.fillRect(left, y + 2, wide, 4);
          else {
            g.beginPath();
            g.moveTo(left - 4, y + 1);
            g.lineTo(left + 4, y + 1);
            g.lineTo(left, y + MARKS - 2);
            g.fill();
          }
        }
        y += MARKS;
      }
      if (c.tasks.n) {
        spans(shown.tasks, y, t.tasks, n, "task");
        y += ROW;
      }
      shown.rows.slice(0, depth).forEach((row, d) => spans(row, y + d * ROW, t.names, n, "call"));
      for (let i = after(shown.gaps, from - 1); i < shown.gaps.n && shown.gaps.start[i] <= to; i++) {
        const left = x(shown.gaps.start[i]);
        hatch(g, left, top + 14, Math.max(3, x(shown.gaps.end[i]) - left), height - 18, colour.bad);
      }
      if (t.damaged && to >= length) hatch(g, width - 6, top + 14, 6, height - 18, colour.bad);
      top += height;
      g.fillStyle = colour.line;
      g.fillRect(0, top - 3, width, 1);
    });
    tracks.dataset.painted = Number(tracks.dataset.painted || 0) + 1;
  };
  const hatch = (g, left, top, width, height, colour) => {
    g.save();
    g.beginPath();
    g.rect(left, top, width, height);
    g.clip();
    g.strokeStyle = colour;
    for (let s = -height; s < width; s += 5) {
      g.beginPath();
      g.moveTo(left + s, top + height);
      g.lineTo(left + s + height, top);
      g.stroke();
    }
    g.strokeRect(left, top, width, height);
    g.restore();
  };

  /** Of a served page: fetches the part that is in view, with as much on both sides, when it stays in view. */
  const served = !t.served ? null : (() => {
    let timer = 0;
    let asked = 0;
    const failure = make("p", { class: "line", role: "alert" });
    tracks.before(failure);
    const covers = (l) => l.from <= from && l.to >= to;
    const ask = async () => {
      const wanted = { from: Math.max(0, Math.floor(2 * from - to)), to: Math.min(length, Math.ceil(2 * to - from)) };
      const mine = ++asked;
      try {
        const response = await fetch(`/timeline?from=${wanted.from}&to=${wanted.to}`);
        if (!response.ok) throw new Error(await response.text());
        const { width, cores: got } = await response.json();
        // a later request has another part
        if (mine !== asked) return;
        level = { ...wanted, width, cores: decodeCores(got) };
        failure.textContent = "";
        draw();
      } catch (e) {
        failure.textContent = `The server does not respond (${e.message}); merged calls are shown.`;
      }
    };
    return {
      follow: () => {
        if (!covers(level)) level = whole;
        // merged calls are visible, or a smaller part would have fewer of them
        if (level.width && level.to - level.from > 4 * (to - from)) {
          clearTimeout(timer);
          timer = setTimeout(ask, 120);
        }
      },
    };
  })();

  /** The range, and what runs in its middle, in words. */
  const report = () => {
    const middle = (from + to) / 2;
    const where = level.cores.slice(0, 4).map((c, n) => {
      const stack = c.rows.map((row) => [row, at(row, middle)]).filter(([, i]) => i >= 0).map(([row, i]) => spanText(row, i, t.names));
      return `core ${n}: ${stack.slice(-2).join(" > ") || "nothing"}`;
    });
    const axisName = t.axis[0].toUpperCase() + t.axis.slice(1);
    status.textContent = `${axisName} ${number(Math.floor(from), 0)} to ${number(Math.ceil(to), 0)}. At the centre of the view: ${where.join("; ")}.`;
  };
  const describe = ({ row, list, core, kind }, i) => {
    const when = row.end[i] > row.start[i] ? `${number(row.start[i], 0)} to ${number(row.end[i], 0)}, ${number(row.end[i] - row.start[i], 0)} ${t.axis}` : `at ${number(row.start[i], 0)}`;
    if (kind === "trap") {
      const others = row.calls[i] > 1 ? ` and others ×${number(row.calls[i], 0)}` : "";
      return `core ${core}: ${causes.get(row.name[i]).name}${others}, ${when}`;
    }
    return `core ${core}: ${spanText(row, i, list)}, ${when}`;
  };
  const under = (e) => {
    const box = canvas.getBoundingClientRect();
    const [px, py] = [e.clientX - box.left, e.clientY - box.top];
    const time = from + (px / box.width) * (to - from);
    const line = laid.find((l) => py >= l.top && py < l.top + (l.kind === "trap" ? MARKS : ROW));
    if (!line) return null;
    const near = line.kind === "trap" ? (5 * (to - from)) / box.width : 0;
    const i = near ? after(line.row, time - near) : at(line.row, time);
    return i >= 0 && i < line.row.n && line.row.start[i] <= time + near ? { ...line, i, time } : null;
  };

  const find = (value) => {
    pattern = value.trim().toLowerCase();
    search.value = value;
    names = new Set([...t.names, ...t.tasks].filter((n) => pattern && n.toLowerCase().includes(pattern)));
    matches = null;
    matched.textContent = pattern ? `${number(hits().length, 0)} boxes` : "";
    draw();
  };
  /** Spans of matching names in view of the chosen depth, by time. */
  let matches = null;
  const hits = () => {
    if (matches && matches.depth === depth) return matches.all;
    const all = [];
    cores.forEach((c) => [[c.tasks, t.tasks], ...c.rows.slice(0, depth).map((row) => [row, t.names])].forEach(([row, list]) => {
      const wanted = list.map((n) => names.has(n));
      for (let i = 0; i < row.n; i++) if (wanted[row.name[i]]) all.push({ row, i });
    }));
    all.sort((a, b) => a.row.start[a.i] - b.row.start[b.i]);
    matches = { depth, all };
    return all;
  };
  const focusOn = (hit) => {
    selected = hit;
    const [start, end] = [hit.row.start[hit.i], hit.row.end[hit.i]];
    const width = Math.min(to - from, Math.max(8 * (end - start), 40));
    view((start + end - width) / 2, (start + end + width) / 2);
    const line = cores.flatMap((c, core) => [[c.tasks, t.tasks, "task"], [c.traps, null, "trap"], ...c.rows.map((r) => [r, t.names, "call"])]
      .map(([row, list, kind]) => ({ row, list, kind, core }))).find((l) => l.row === hit.row);
    if (line) tip.textContent = describe(line, hit.i);
  };
  const step = (by) => {
    const all = hits();
    if (!all.length) return;
    const now = selected ? all.findIndex((h) => h.row === selected.row && h.i === selected.i) : -1;
    focusOn(all[(now < 0 ? (by > 0 ? 0 : all.length - 1) : now + by + all.length) % all.length]);
  };
  const toMark = (of) => {
    const middle = (from + to) / 2;
    const all = cores.flatMap((c) => Array.from({ length: of(c).n }, (_, i) => ({ row: of(c), i }))).sort((a, b) => a.row.start[a.i] - b.row.start[b.i]);
    const first = to - from === length ? all[0] : all.find((m) => m.row.start[m.i] > middle + 0.5) || all[0];
    const width = Math.min(to - from, Math.max(length / 50, 100));
    selected = first;
    view(first.row.start[first.i] - width / 2, first.row.start[first.i] + width / 2);
    if (of(cores[0]) === cores[0].gaps) {
      const lost = first.row.name[first.i];
      const what = first.row.calls[first.i] > 1 ? `${number(first.row.calls[first.i], 0)} gaps` : lost ? `gap of ${number(lost, 0)} instructions` : "gap of unknown length";
      tip.textContent = `core ${cores.findIndex((c) => c.gaps === first.row)}: ${what}, at ${number(first.row.start[first.i], 0)}`;
    } else tip.textContent = describe({ row: first.row, list: null, core: cores.findIndex((c) => c.traps === first.row), kind: "trap" }, first.i);
  };

  tracks.addEventListener("keydown", (e) => {
    const act = {
      ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2), "+": () => scale(0.5), "=": () => scale(0.5), "-": () => scale(2),
      w: () => scale(0.5), s: () => scale(2), a: () => pan(-0.2), d: () => pan(0.2), Home: () => view(0, length), n: () => step(1), p: () => step(-1),
    }[e.key];
    if (!act || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    act();
  });
  tracks.addEventListener("wheel", (e) => {
    const box = canvas.getBoundingClientRect();
    if (e.ctrlKey || e.metaKey) {
      e.preventDefault();
      scale(2 ** (e.deltaY / 200), from + ((e.clientX - box.left) / box.width) * (to - from));
    } else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      e.preventDefault();
      pan((e.deltaX || e.deltaY) / box.width);
    }
  }, { passive: false });
  // one pointer pans, two zoom
  const pointers = new Map();
  let moved = false;
  tracks.addEventListener("pointerdown", (e) => {
    pointers.set(e.pointerId, e.clientX);
    moved = false;
  });
  tracks.addEventListener("pointermove", (e) => {
    const before = pointers.get(e.pointerId);
    if (before === undefined) {
      const hit = under(e);
      tip.textContent = hit ? describe(hit, hit.i) : "";
      return;
    }
    const box = canvas.getBoundingClientRect();
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== e.pointerId)[1];
      scale(Math.max(4, Math.abs(before - other)) / Math.max(4, Math.abs(e.clientX - other)), from + ((other - box.left) / box.width) * (to - from));
      moved = true;
    } else if (moved || Math.abs(e.clientX - before) > 3) {
      if (!moved) tracks.setPointerCapture(e.pointerId);
      moved = true;
      tracks.classList.add("dragged");
      pan((before - e.clientX) / box.width);
    } else return;
    pointers.set(e.pointerId, e.clientX);
  });
  const release = (e) => {
    pointers.delete(e.pointerId);
    tracks.classList.remove("dragged");
  };
  tracks.addEventListener("pointerup", release);
  tracks.addEventListener("pointercancel", release);
  tracks.addEventListener("click", (e) => {
    if (moved) return;
    selected = under(e);
    tip.textContent = selected ? describe(selected, selected.i) : "";
    draw();
  });
  tracks.addEventListener("dblclick", (e) => {
    const hit = under(e);
    if (hit) {
      const [start, end] = [hit.row.start[hit.i], hit.row.end[hit.i]];
      view(start - 0.05 * (end - start), end + 0.05 * (end - start));
    } else scale(0.5);
  });
  new ResizeObserver(draw).observe(tracks);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
  return { view: () => [from, to], show: view, find };
})();

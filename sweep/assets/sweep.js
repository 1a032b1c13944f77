"use strict";
// The page of a sweep: tables and plots are redrawn from the points that pass the filters.
{
  const sweep = page.data("sweep");
  const sum = (points, f) => points.reduce((t, p) => t + f(p), 0);
  const over = (a, b) => (b ? a / b : null);
  const unique = (values) => [...new Set(values)];

  /** Groups points by key, in the order of their first members. */
  const group = (points, key) => {
    const groups = new Map();
    for (const p of points) {
      const k = key(p);
      if (!groups.has(k)) groups.set(k, []);
      groups.get(k).push(p);
    }
    return groups;
  };

  /** Returns a function that labels points such that their schemes can be distinguished. */
  const labeller = (points) => {
    const harts = unique(points.map((p) => p.harts)).length > 1;
    const times = unique(points.map((p) => p.time)).length > 1;
    // streams of other machines or settings are never added up
    const several = unique(points.map((p) => p.configuration)).length > 1;
    return (p, withHarts = true, withConfiguration = withHarts) =>
      (times && p.time === "stamped" ? "t " : "") + p.scheme + (harts && withHarts ? `, ${p.harts} hart${p.harts === 1 ? "" : "s"}` : "") + (several && withConfiguration ? `, ${p.configuration}` : "");
  };

  const bpi = (points) => over(sum(points, (p) => (p.steady ? p.steady[0] : 0)), sum(points, (p) => (p.steady ? p.steady[1] : 0)));
  // a recording without cycles has no figure per cycle
  const timed = (points) => points.filter((p) => p.cycles > 0);
  const bpc = (points) => over(sum(timed(points), (p) => p.bits), sum(timed(points), (p) => p.cycles));
  const words = (title) => ({ title, digits: null });
  const numbers = (title, digits) => ({ title, digits });
  const least = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);
  /** Geometric mean; null where a value is 0 or missing. */
  const geometric = (values) => (values.every((v) => v > 0) ? Math.exp(sum(values, Math.log) / values.length) : null);
  const mean = (values) => over(sum(values, (v) => v), values.length);
  /** Quantile 0.975 of Student's t distribution, by degrees of freedom (as sweep::spread). */
  const T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042];
  /** Half width of the 95 % confidence interval of a mean; null for a single value. */
  const halfWidth = (values) => {
    const n = values.length;
    if (n < 2) return null;
    const m = mean(values);
    return (T[n - 2] || 1.96 + 2.4 / (n - 1)) * Math.sqrt(sum(values, (v) => (v - m) ** 2) / (n - 1) / n);
  };
  /** The points of each seed with which all traces ran; a trace with one run is in each of them. */
  const samples = (points) => {
    const runs = [...group(points, (p) => p.trace).values()];
    const several = runs.filter((g) => g.length > 1);
    const seeds = several.length ? several[0].map((p) => p.seed).filter((s) => several.every((g) => g.some((p) => p.seed === s))) : [];
    return (seeds.length ? seeds : [null]).map((s) => runs.map((g) => g.find((p) => p.seed === s) || g[0]));
  };
  /** Bits per instruction of each trace, over all its runs. */
  const eachTrace = (points) => [...group(points, (p) => p.trace).values()].map((g) => mean(g.map((p) => bpi([p]))));
  // a scheme has one colour on the whole page, whatever is chosen
  const schemes = new Map(unique(sweep.points.map((p) => p.scheme)).map((name, i) => [name, COLOURS[i % COLOURS.length]]));
  const traceNames = unique(sweep.points.map((p) => p.trace));
  const tint = (p) => schemes.get(p.scheme);
  const filled = (p) => ({ color: tint(p), pattern: { shape: p.time === "stamped" ? "/" : "" } });
  const SYMBOLS = ["circle", "square", "diamond", "cross", "x", "triangle-up", "triangle-down", "star"];
  const DASHES = ["solid", "dot", "dash", "longdash", "dashdot"];
  const size = (points) => Math.max(380, Math.min(720, 60 + 19 * points));

  // ---- totals ----

  const totals = (points) => {
    const label = labeller(points);
    const rows = [];
    for (const [name, g] of group(points.filter((p) => p.steady !== null), (p) => label(p))) {
      const each = eachTrace(g);
      const runs = samples(g);
      const means = runs.map((run) => geometric(run.map((p) => bpi([p]))));
      const windows = g.flatMap((p) => p.windows);
      const started = g.filter((p) => p.startup);
      rows.push([
        name, each.length, most([...group(g, (p) => p.trace).values()].map((t) => t.length)), sum(g, (p) => p.steady[1]), sum(g, (p) => p.steady[0]),
        bpi(g), halfWidth(runs.map(bpi)), mean(each), means.includes(null) ? null : mean(means), least(each), most(each),
        windows.length ? least(windows) : null, windows.length ? most(windows) : null,
        started.length ? over(sum(started, (p) => p.startup.bits), sum(started, (p) => p.startup.instructions)) : null, bpc(g),
        g[0].state_bits / g[0].harts, g[0].rule_gates, g[0].gates, `${g.filter((p) => p.verified === "equal").length} of ${g.length}`,
      ]);
    }
    page.table("totals", {
      columns: [
        words("scheme"), numbers("traces", 0), numbers("runs", 0), numbers("instructions", 0), numbers("bits", 0), numbers("bits/instr", 4),
        numbers("± 95 %", 4), numbers("arithmetic mean", 4), numbers("geometric mean", 4), numbers("least", 4), numbers("greatest", 4),
        numbers("least window", 4), numbers("greatest window", 4), numbers("start-up", 4), numbers("bits/cycle", 4), numbers("state bits/core", 0),
        numbers("rule gates/core", 0), numbers("gates/core", 0), words("decoded"),
      ],
      rows,
    });
  };

  // ---- bits by trace, and by the number of harts ----

  const measure = page.choice("measure", "Measure:", [["bpi", "bits per instruction"], ["bpc", "bits per cycle"]], () => draw());
  const UNIT = { bpi: "bits per instruction", bpc: "bits per clock cycle" };
  const value = (points) => (measure() === "bpi" ? bpi(points) : bpc(points));

  /** A figure for each number of harts: a program on more harts is another program. */
  const byTrace = (points) => {
    const streams = points.filter((p) => p.bits !== null);
    const label = labeller(streams);
    const figures = group(streams, (p) => p.harts);
    const place = page.byId("by-trace");
    if (!figures.size) return page.empty(place, "no streams in the selection");
    const id = (harts) => `by-trace-${harts}`;
    place.replaceChildren(...[...figures.keys()].map((harts) => page.byId(id(harts)) || page.make("div", { id: id(harts) })));
    for (const [harts, mine] of figures) {
      const names = unique(mine.map((p) => p.trace));
      const traces = [...group(mine, (p) => label(p, false))].map(([name, g]) => {
        const of = group(g, (p) => p.trace);
        return { name, type: "bar", marker: filled(g[0]), x: names.map((_, i) => i), y: names.map((n) => (of.has(n) ? value(of.get(n)) : null)), hovertemplate: "%{x}: %{y:.4f}" };
      });
      page.plot(id(harts), traces, {
        title: `${UNIT[measure()]}, by trace, ${harts} hart${harts === 1 ? "" : "s"}`, x: { title: "", categories: names }, y: { title: UNIT[measure()] }, height: size(traces.length),
      });
    }
  };

  const byHarts = (points) => {
    const all = points.filter((p) => p.bits !== null);
    const counts = unique(all.map((p) => p.harts)).length;
    // only traces that were measured with each number of harts are comparable
    const everywhere = new Set([...group(all, (p) => p.trace)].filter(([, g]) => unique(g.map((p) => p.harts)).length === counts).map(([name]) => name));
    const streams = all.filter((p) => everywhere.has(p.trace));
    const harts = unique(streams.map((p) => p.harts)).sort((a, b) => a - b);
    const label = labeller(streams);
    const traces = [...group(streams, (p) => label(p, false, true))].map(([name, g]) => {
      const of = group(g, (p) => p.harts);
      const mine = harts.filter((n) => of.has(n));
      const y = mine.map((n) => value(of.get(n)));
      const limits = mine.map((n) => {
        const each = [...group(of.get(n), (p) => p.trace).values()].map(value);
        return [least(each), most(each)];
      });
      return { name, type: "bar", marker: filled(g[0]), x: mine.map((n) => harts.indexOf(n)), y, error_y: page.ranges(y, limits), hovertemplate: "%{y:.4f}" };
    });
    page.plot("by-harts", traces, {
      title: `${UNIT[measure()]}, by harts`,
      x: { title: "harts", categories: harts.map(String) }, y: { title: UNIT[measure()] }, height: size(traces.length),
    });
  };

  // ---- gates against bits ----

  const measured = sweep.points.some((p) => p.gates !== null);
  const axis = measured ? page.choice("axis", "Gates:", [["gates", "measured"], ["rule_gates", "1.5 a bit of state"]], () => draw()) : () => "rule_gates";

  const pareto = (points) => {
    const streams = points.filter((p) => p.bits !== null);
    const label = labeller(streams);
    let dots = [...group(streams, (p) => label(p))].map(([name, g]) => ({
      name, colour: tint(g[0]), encoding: g[0].encoding, family: g[0].family, time: g[0].time, set: g[0].set, harts: g[0].harts, x: g[0][axis()], y: bpi(g),
      of: unique(g.map((p) => `${p.trace} ${p.harts} ${p.time} ${p.seed}`)).sort().join("|"),
    })).filter((d) => d.y !== null && d.family !== "baseline");
    const without = unique(dots.filter((d) => d.x === null).map((d) => d.encoding));
    dots = dots.filter((d) => d.x !== null);
    const manyHarts = unique(dots.map((d) => d.harts)).length > 1;
    // only points measured on the same runs are comparable: use the runs with the most points
    const same = most([...group(dots, (d) => d.of).values()].map((g) => g.length));
    const runs = dots.find((d) => dots.filter((other) => other.of === d.of).length === same)?.of;
    const front = dots.filter((d) => d.of === runs).sort((a, b) => a.x - b.x || a.y - b.y);
    let best = Infinity;
    const line = front.filter((d) => d.y < best && ((best = d.y), true));
    const traces = [...group(dots, (d) => d.encoding)].map(([name, g], i) => ({
      name, mode: "markers+text", type: "scatter", x: g.map((d) => d.x), y: g.map((d) => d.y), text: g.map((d) => (manyHarts ? `${d.set}, ${d.harts} hart${d.harts === 1 ? "" : "s"}` : d.set)), textposition: "top center",
      textfont: { size: 10, color: page.colour("soft") }, marker: { size: 9, color: g.map((d) => d.colour), symbol: SYMBOLS[i % SYMBOLS.length] }, customdata: g.map((d) => d.name), hovertemplate: "%{customdata}<br>%{x} gates, %{y:.4f} bits/instr<extra></extra>",
    }));
    if (line.length > 1) {
      traces.push({ name: "front", mode: "lines", type: "scatter", x: line.map((d) => d.x), y: line.map((d) => d.y), line: { shape: "hv", dash: "dot", color: page.colour("soft"), width: 1.5 }, hoverinfo: "skip" });
    }
    page.plot("pareto", traces, { title: `Gates of one core against bits per instruction${without.length ? ` (no measured gates: ${without.join(", ")})` : ""}`, x: { title: axis() === "gates" ? "gates per core, measured, memory at 1.5 a bit" : "predictor state, at 1.5 gates a bit" }, y: { title: "bits per instruction", log: true, dtick: "D2" }, height: 480 });
  };

  // ---- mispredictions ----

  const predicted = (points) => {
    const seen = new Set();
    return points.filter((p) => {
      const key = `${p.trace} ${p.harts} ${p.set} ${p.shared}`;
      return p.conditionals > 0 && p.set !== "" && p.predicts && !seen.has(key) && seen.add(key);
    });
  };

  const rates = (points) => {
    const mine = predicted(points);
    const name = (p) => (p.shared ? `${p.set} shared` : p.set);
    const sets = unique(mine.map(name));
    const row = (first, g) => {
      const of = group(g, name);
      return [...first, ...sets.flatMap((s) => {
        const q = of.get(s) || [];
        return [100 * over(sum(q, (p) => p.outcome_misses), sum(q, (p) => p.conditionals)), 100 * over(sum(q, (p) => p.target_misses), sum(q, (p) => p.indirects))].map((v, i) => {
          const asked = sum(q, (p) => (i ? p.indirects : p.conditionals));
          return asked ? v : null;
        });
      })];
    };
    const rows = [...group(mine, (p) => `${p.trace}\0${p.harts}`)].map(([key, g]) => {
      const [trace, harts] = key.split("\0");
      return row([trace, Number(harts)], g);
    });
    for (const [harts, g] of group(mine, (p) => p.harts)) rows.push(row([`all with ${harts} hart${harts === 1 ? "" : "s"}`, harts], g));
    page.table("rates", {
      columns: [words("trace"), numbers("harts", 0), ...sets.flatMap((s) => [numbers(`${s} outcome %`, 3), numbers(`${s} target %`, 3)])],
      rows: mine.length ? rows : [],
    });
  };

  // ---- lengths of fields ----

  const FIELDS = [["b_cnt", "bCnt"], ["diff_ta", "|diffTA|"], ["diff_cc", "diffCC"], ["i_cnt", "iCnt"]];

  /** One point per run and predictor: other codings have the same values. */
  const profiles = (points) => {
    const seen = new Set();
    return points.filter((p) => {
      const key = `${p.trace} ${p.harts} ${p.family} ${p.set} ${p.time}`;
      return p.lengths && !seen.has(key) && seen.add(key);
    });
  };

  const pooled = (points, field) => {
    const counts = [];
    for (const p of points) p.lengths[field].forEach((n, i) => (counts[i] = (counts[i] || 0) + n));
    return counts;
  };

  const distributions = (points) => {
    const mine = profiles(points);
    for (const [field, title] of FIELDS.slice(0, 3)) {
      const traces = [];
      const usable = field === "diff_cc" ? mine.filter((p) => p.time === "stamped") : mine;
      for (const [name, g] of group(usable, (p) => (p.set ? p.set : p.encoding) + (p.time === "stamped" && field !== "diff_cc" ? " t" : ""))) {
        const counts = pooled(g, field);
        const all = counts.reduce((a, b) => a + b, 0);
        if (!all) continue;
        let so_far = 0;
        traces.push({ name, type: "scatter", mode: "lines+markers", marker: { size: 4 }, x: counts.map((_, i) => i), y: counts.map((n) => (100 * (so_far += n)) / all), hovertemplate: "%{x} bits: %{y:.2f} %" });
      }
      page.plot(`cdf-${field}`, traces, { title: `Length of ${title}`, x: { title: "bits" }, y: { title: "values of at most so many bits, %" }, height: 360, layout: { legend: { font: { size: 11 }, x: 1, xanchor: "right", y: 0.02, bgcolor: "rgba(0,0,0,0)" }, yaxis: { title: { text: "values of at most so many bits, %" }, range: [0, 102], gridcolor: page.colour("line"), zeroline: false, automargin: true } } });
    }
  };

  // ---- chunk sizes ----

  const field = page.choice("field", "Field:", FIELDS, () => draw());

  /** Bits of a chunked value with `bits` significant bits. */
  const chunked = (bits, first, next) => (bits <= first ? first + 1 : first + 1 + Math.ceil((bits - first) / next) * (next + 1));
  const cost = (counts, first, next) => counts.reduce((t, n, bits) => t + n * chunked(bits, first, next), 0);

  const best = (counts) => {
    let found = null;
    for (let first = 1; first <= sweep.max_chunk; first++) {
      for (let next = 1; next <= sweep.max_chunk; next++) {
        const bits = cost(counts, first, next);
        if (!found || bits < found.bits) found = { first, next, bits };
      }
    }
    return found;
  };

  const chunks = (points) => {
    const mine = profiles(points).filter((p) => p.family === "tr");
    const name = Object.fromEntries(FIELDS)[field()];
    const instructions = sum(mine, (p) => p.instructions);
    const counts = pooled(mine, field());
    if (!counts.some((n) => n)) {
      page.empty(page.byId("chunks"), `${name}: no such values in the selection`);
      page.table("chunk-table", { columns: [words("set")], rows: [] });
      return;
    }
    const sizes = Array.from({ length: sweep.max_chunk }, (_, i) => i + 1);
    const z = sizes.map((first) => sizes.map((next) => cost(counts, first, next) / instructions));
    const least_ = best(counts);
    const trace = {
      type: "heatmap", x: sizes, y: sizes, z, colorscale: "YlGnBu", reversescale: false, colorbar: { title: { text: "bits/instr", side: "right" }, thickness: 14 },
      hovertemplate: "(%{y},%{x}): %{z:.5f} bits/instr<extra></extra>",
    };
    const mark = { type: "scatter", mode: "markers+text", x: [least_.next], y: [least_.first], text: [`(${least_.first},${least_.next})`], textposition: "top right", textfont: { color: "#fff", size: 13 }, marker: { symbol: "x", size: 11, color: "#d55e00" }, showlegend: false, hoverinfo: "skip" };
    page.plot("chunks", [trace, mark], { title: `Bits that ${name} takes in chunks (first, next), all that is chosen`, x: { title: "later chunks, bits" }, y: { title: "first chunk, bits" }, height: 460 });
    const rows = [];
    for (const [set, g] of group(mine, (p) => p.set)) {
      const all = sum(g, (p) => p.instructions);
      for (const [f, title] of FIELDS) {
        const c = pooled(g, f);
        const values = c.reduce((a, b) => a + b, 0);
        if (!values) continue;
        const b = best(c);
        const [first, next] = g[0].tr_e[f];
        const now = cost(c, first, next);
        rows.push([set, title, values, `(${first},${next})`, now / all, `(${b.first},${b.next})`, b.bits / all, 100 * (1 - b.bits / now)]);
      }
    }
    page.table("chunk-table", {
      columns: [words("set"), words("field"), numbers("values", 0), words("tr_e"), numbers("bits/instr", 5), words("best"), numbers("bits/instr", 5), numbers("saved %", 2)],
      rows,
    });
  };

  // ---- bits by field ----

  const parts = (points) => {
    const label = labeller(points);
    const groups = [...group(points.filter((p) => p.fields), (p) => label(p))];
    const kinds = ["bCnt", "diffTA", "Ti", "diffCC", "other"];
    const names = groups.map((g) => g[0]);
    const traces = kinds.map((k) => ({
      name: k, type: "bar", orientation: "h", y: names, x: groups.map(([, g]) => over(sum(g, (p) => p.fields[k]), sum(g, (p) => p.instructions))), hovertemplate: "%{x:.5f}",
    })).filter((t) => t.x.some((v) => v > 0));
    page.plot("fields", traces, { title: "Bits per instruction, by field", x: { title: "bits per instruction" }, y: { title: "" }, height: 110 + 22 * names.length, layout: { barmode: "stack", yaxis: { automargin: true, autorange: "reversed", type: "category" } } });
    const all = [...group(points.filter((p) => p.bits !== null), (p) => label(p))];
    const of = unique(points.flatMap((p) => Object.keys(p.kinds)));
    page.table("kinds", {
      columns: [words("scheme"), ...of.flatMap((k) => [numbers(`${k}, messages`, 0), numbers("% of bits", 2)])],
      rows: all.map(([name, g]) => [name, ...of.flatMap((k) => [sum(g, (p) => (p.kinds[k] || [0, 0])[0]), 100 * over(sum(g, (p) => (p.kinds[k] || [0, 0])[1]), sum(g, (p) => p.bits))])]),
    });
  };

  // ---- over time ----

  const MOST_LINES = 24;

  const time = (points) => {
    const all = points.filter((p) => p.window && p.window.bits.length > 1);
    // a recording without cycles has its bits per instruction over the instructions, and so have all then
    const cycles = all.every((p) => p.cycles > 0);
    const mine = measure() === "bpc" ? timed(all) : all;
    const axis = cycles || measure() === "bpc" ? "cycles" : "instructions";
    const label = labeller(mine);
    const several = unique(mine.map((p) => p.trace)).length > 1;
    const seeds = unique(mine.map((p) => p.seed)).length > 1;
    const traces = mine.slice(0, MOST_LINES).map((p) => {
      const w = p.window;
      const step = (v) => v.map((n, i) => n - (i ? v[i - 1] : 0));
      const [bits, instructions] = [step(w.bits), step(w.instructions)];
      const y = bits.map((b, i) => (measure() === "bpi" ? over(b, instructions[i]) : b / w.cycles));
      return { name: (several ? `${p.trace}: ` : "") + label(p) + (seeds ? `, seed ${p.seed}` : ""), type: "scatter", mode: "lines", line: { width: 1.3, color: tint(p), dash: DASHES[traceNames.indexOf(p.trace) % DASHES.length] }, x: bits.map((_, i) => (axis === "cycles" ? (i + 1) * w.cycles : w.instructions[i]) / 1e6), y, hovertemplate: `%{x} M ${axis}: %{y:.4f}` };
    });
    const more = mine.length > MOST_LINES ? ` (the first ${MOST_LINES} of ${mine.length}; choose fewer above)` : "";
    page.plot("time", traces, { title: `${UNIT[measure()]} over time${more}`, x: { title: `million ${axis}` }, y: { title: UNIT[measure()], log: true, dtick: "D2" }, height: size(traces.length) });
  };

  // ---- all points ----

  const all = (points) => page.table("points", {
    columns: [
      words("trace"), numbers("harts", 0), words("scheme"), words("time"), numbers("seed", 0), numbers("instructions", 0), numbers("cycles", 0), numbers("bits", 0),
      numbers("bits/instr", 5), numbers("bits/cycle", 5), numbers("outcome %", 3), numbers("target %", 3), words("decoded"), words("file"), words("command that repeats it"),
    ],
    rows: points.map((p) => [
      p.trace, p.harts, p.scheme, p.time, p.seed, p.instructions, p.cycles || null, p.bits, p.bits === null ? null : over(p.bits, p.instructions),
      p.bits === null ? null : over(p.bits, p.cycles), p.predicts && p.conditionals ? (100 * p.outcome_misses) / p.conditionals : null,
      p.predicts && p.indirects ? (100 * p.target_misses) / p.indirects : null, p.verified, p.file, p.repeat,
    ]),
  });

  let chosen = [];
  const draw = () => {
    for (const part of [totals, byTrace, byHarts, pareto, rates, distributions, chunks, parts, time, all]) part(chosen);
    page.byId("chosen").textContent = `${chosen.length} of ${sweep.points.length} points chosen`;
  };
  page.filters("filters", sweep.points, ["trace", "harts", "time", "encoding", "set"], (points) => {
    chosen = points;
    draw();
  }, { time: [sweep.points[0].time] });
}

"use strict";
// Flame graph: an icicle of buttons, one for each node that is wide enough.
views.flame = (() => {
  const { byId, make, number } = page;
  /** Levels below the zoomed node that are drawn. */
  const LEVELS = 48;
  const nodes = trace.flame.nodes.map(([parent, name, own, omitted]) => ({ parent, name, own, total: own + omitted, children: [] }));
  const root = { parent: null, name: null, own: 0, total: 0, children: [] };
  const above = (node) => (node.parent === null ? null : nodes[node.parent] || root);
  for (let i = nodes.length - 1; i >= 0; i--) {
    const up = above(nodes[i]);
    up.total += nodes[i].total;
    up.children.push(nodes[i]);
  }
  [root, ...nodes].forEach((n) => n.children.sort((a, b) => b.total - a.total));
  const text = (node) => (node.name === null ? "all" : trace.names[node.name]);
  const percent = (n) => `${(root.total ? (100 * n) / root.total : 0).toFixed(1)} %`;
  const describe = (node) =>
    `${text(node)}: ${number(node.total, 0)} instructions, ${percent(node.total)}; own ${number(node.own, 0)}, ${percent(node.own)}`;

  let zoomed = root;
  let pattern = "";
  const matches = (node) => pattern !== "" && node.name !== null && text(node).toLowerCase().includes(pattern);
  const search = make("input", { type: "search", id: "flame-search", placeholder: "part of a name", oninput: () => find(search.value) });
  const found = make("span", { role: "status", id: "flame-found" });
  const whole = make("button", { id: "flame-reset", onclick: () => zoom(root) }, "Reset zoom");
  const line = make("p", { class: "line", id: "flame-line" });
  const area = make("div", { class: "flame", role: "group", "aria-label": "Flame graph. Enter zooms in, Escape zooms out, arrow keys move." });
  byId("flame-body").append(
    make("div", { class: "controls" }, make("label", { for: "flame-search" }, "Search"), search, found, whole), line, area);

  const box = (node, left, width, level, current) => {
    const b = make("button", {
      class: "box", tabindex: current ? 0 : -1, "aria-label": describe(node),
      style: `left:${100 * left}%;width:${100 * width}%;top:${20 * level}px;--h:${views.hue(text(node))}`,
      onclick: () => zoom(node), onfocus: () => show(node), onmouseenter: () => show(node),
    }, width * area.clientWidth < 24 ? "" : text(node));
    b.classList.toggle("outer", level < depth(zoomed));
    b.classList.toggle("match", matches(node));
    b.classList.toggle("other", pattern !== "" && !matches(node));
    b.node = node;
    node.box = b;
    return b;
  };
  const depth = (node) => {
    let n = 0;
    for (let up = above(node); up; up = above(up)) n += 1;
    return n;
  };
  const show = (node) => { line.textContent = describe(node); };

  const draw = (focus) => {
    nodes.forEach((n) => { n.box = null; });
    const boxes = [];
    for (let up = above(zoomed), level = depth(zoomed) - 1; up; up = above(up), level--) boxes.push(box(up, 0, 1, level, false));
    const least = 1 / Math.max(area.clientWidth, 300);
    const first = depth(zoomed);
    let deepest = first;
    const open = [[zoomed, 0, 1, first]];
    while (open.length) {
      const [node, left, width, level] = open.pop();
      boxes.push(box(node, left, width, level, node === zoomed));
      deepest = Math.max(deepest, level);
      if (level - first >= LEVELS) continue;
      let x = left;
      for (const child of node.children) {
        const share = zoomed.total ? child.total / zoomed.total : 0;
        if (share >= least) open.push([child, x, share, level + 1]);
        x += share;
      }
    }
    area.style.height = `${20 * (deepest + 1)}px`;
    area.replaceChildren(...boxes);
    show(zoomed);
    whole.disabled = zoomed === root;
    if (focus) zoomed.box.focus();
  };
  const zoom = (node, focus = true) => {
    zoomed = node;
    draw(focus);
  };
  const find = (value) => {
    pattern = value.trim().toLowerCase();
    search.value = value;
    // a match within another is counted once
    let count = 0;
    const open = [root];
    while (open.length) {
      const node = open.pop();
      if (matches(node)) count += node.total;
      else open.push(...node.children);
    }
    found.textContent = pattern ? `${number(count, 0)} instructions in matches, ${percent(count)}` : "";
    draw(false);
  };
  area.addEventListener("keydown", (e) => {
    const node = document.activeElement.node;
    if (!node) return;
    const beside = (step) => {
      const all = above(node) ? above(node).children : [node];
      return all[all.indexOf(node) + step];
    };
    const next = { ArrowUp: () => above(node), ArrowDown: () => node.children[0], ArrowLeft: () => beside(-1), ArrowRight: () => beside(1) }[e.key];
    if (next) {
      e.preventDefault();
      const to = next();
      if (to && to.box) to.box.focus();
    } else if (e.key === "Escape") zoom(above(zoomed) || root);
  });
  let width = 0;
  // drawing changes the height: it must not happen while the observer reports
  new ResizeObserver(() => requestAnimationFrame(() => {
    if (area.clientWidth !== width) draw(false);
    width = area.clientWidth;
  })).observe(area);
  return { find, zoomed: () => text(zoomed) };
})();

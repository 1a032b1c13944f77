"use strict";
// Data of the page, and what its views share.
const trace = page.data("trace");
const views = {
  /** A hue for a name, the same everywhere. */
  hue: (() => {
    const known = new Map();
    return (name) => {
      if (!known.has(name)) {
        let hash = 0;
        for (const c of name) hash = (hash * 31 + c.codePointAt(0)) >>> 0;
        known.set(name, (hash * 137) % 360);
      }
      return known.get(name);
    };
  })(),
};
page.byId("sections").append(...[...document.querySelectorAll("section")].map((s) =>
  page.make("a", { href: `#${s.id}` }, s.querySelector("h2").textContent)));

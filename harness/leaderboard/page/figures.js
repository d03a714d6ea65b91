"use strict";

(function (s) {
  const { el } = s;
  let drawn = [];

  /** Figures are drawn when they come near: each takes a while, and there may be many. */
  const near = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      if (isIntersecting) show(drawn.find(({ node }) => node === target));
    }
  }, { rootMargin: "600px" });

  /** Colours of the page as they are now, for the figures. */
  function look() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const axis = { gridcolor: colour("--line"), zerolinecolor: colour("--muted"),
      linecolor: colour("--line") };
    return {
      font: { color: colour("--ink"), family: style.fontFamily, size: 12 },
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", axis,
      hover: { bgcolor: colour("--raised"), bordercolor: colour("--line"),
        font: { color: colour("--ink") } },
    };
  }

  /** A layout in the colours of the page; what the maker chose otherwise stays. */
  function themed(layout) {
    const { axis, hover, ...rest } = look();
    const all = { ...layout, ...rest, font: { ...layout.font, ...rest.font }, autosize: true,
      hoverlabel: { ...layout.hoverlabel, ...hover } };
    for (const name of Object.keys(layout).filter((key) => /^[xy]axis\d*$/.test(key))) {
      all[name] = { ...layout[name], ...axis };
    }
    for (const name of ["xaxis", "yaxis"]) all[name] = { ...axis, ...all[name] };
    return all;
  }

  /**
   * Draws a figure; a copy of its data, because plotly writes into them. Its height is that of its
   * box: plotly forgets the one of the layout when the window changes.
   */
  function draw({ node, figure }) {
    const plot = structuredClone(figure.plot);
    delete plot.layout.height;
    return window.Plotly.react(node, plot.data, themed(plot.layout), {
      responsive: true, displaylogo: false,
      modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"],
      toImageButtonOptions: { filename: figure.id, scale: 2 },
    });
  }

  function show(one) {
    if (!one || one.done) return;
    one.done = true;
    near.unobserve(one.node);
    draw(one);
  }

  const redraw = () => drawn.filter(({ node, done }) => done && node.isConnected).forEach(draw);

  function frame(figure) {
    const node = el("div", { class: "plot", role: "img", "aria-label": s.shown(figure.alt) });
    const height = figure.plot.layout.height;
    if (typeof height === "number") node.style.height = `${height}px`;
    drawn.push({ node, figure, done: false });
    return el("figure", { id: `figure-${figure.id}` },
      el("h2", {}, s.shown(figure.title)), node,
      el("figcaption", {}, s.shown(figure.alt),
        ["types", "unanswered"].includes(figure.id) ? " "
          : ` Filled marks: p < ${s.all.board.method.alpha}; hollow: not. `,
        el("a", { href: s.state.href({ view: "table" }) }, "The numbers as a table")));
  }

  /** The figures of a subject; plotly is loaded with the first of them. */
  async function figures(node, subject) {
    s.put(node, el("p", { class: "loading" }, "Loading the figures …"));
    try {
      const [list] = await Promise.all(
        [s.data.figures(subject.id), s.data.load("assets/plotly.min.js")]);
      drawn = [];
      s.put(node, list.length ? list.map(frame)
        : el("p", { class: "empty" }, "There is nothing to draw for this benchmark."));
      drawn.forEach((one) => near.observe(one.node));
    } catch (error) {
      s.put(node, el("p", { class: "notice" }, error.message));
    }
  }

  window.addEventListener("beforeprint", () => {
    drawn.filter(({ node }) => node.isConnected).forEach(show);
  });

  s.figures_of = { figures, redraw };
})(sociolect);

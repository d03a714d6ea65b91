"use strict";

(function (s) {
  const { el } = s;
  let drawn = [];

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

  /** Draws a figure; a copy of its data, because plotly writes into them. */
  function draw({ node, figure }) {
    const plot = structuredClone(figure.plot);
    return window.Plotly.react(node, plot.data, themed(plot.layout), {
      responsive: true, displaylogo: false,
      modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"],
      toImageButtonOptions: { filename: figure.id, scale: 2 },
    });
  }

  const redraw = () => drawn.filter(({ node }) => node.isConnected).forEach(draw);

  function frame(figure) {
    const node = el("div", { class: "plot", role: "img", "aria-label": s.shown(figure.alt) });
    drawn.push({ node, figure });
    return el("figure", { id: `figure-${figure.id}` },
      el("h2", {}, s.shown(figure.title)), node,
      el("figcaption", {}, s.shown(figure.alt), " ",
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
      await Promise.all(drawn.map(draw));
    } catch (error) {
      s.put(node, el("p", { class: "notice" }, error.message));
    }
  }

  s.figures_of = { figures, redraw };
})(sociolect);

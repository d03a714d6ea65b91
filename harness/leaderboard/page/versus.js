"use strict";

(function (s) {
  const { el, format: f } = s;

  const label = (section) => s.all.models.get(s.all.sections.get(section).model).label;

  /** Over whole templates where the items are made from some. */
  const interval = (row) => f.interval(row.ci_templates_low, row.ci_templates_high, true) ||
    f.interval(row.ci_low, row.ci_high, true);

  function cell(entry) {
    if (!entry) return f.DASH;
    if (typeof entry.row.delta !== "number") {
      return el("span", { class: "missing", title: entry.why_not }, f.DASH,
        el("span", { class: "offscreen" }, ` ${entry.why_not}`));
    }
    const id = `${entry.section}~${entry.condition}~base`;
    return el("button", { type: "button", class: "cell", "data-key": `cell-${id}`,
      title: f.markWords(entry.row) || "not significant", onclick: () => s.state.go({ cell: id }) },
      el("span", { class: entry.row.significant ? "sure" : "" }, f.delta(entry.row.delta),
        el("sup", { "aria-hidden": "true" }, f.marks(entry.row))),
      el("small", {}, interval(entry.row)));
  }

  /** What mitigations do against their base on the same prompts; empty without any. */
  function versus(subject, state) {
    const of = s.all.board.versus.filter(
      (one) => s.all.sections.get(one.section).subject === subject.id);
    if (!of.length || state.plain) return null;
    const pairs = new Map(of.map((one) => [`${one.section}~${one.base}`, one]));
    const conditions = [{ id: "clean", label: "clean" }, ...s.rows.conditionsOf(subject, state)];
    const rows = [...pairs.values()].map(({ section, base }) => [
      el("span", {}, s.name(label(section)), el("small", {}, "against ", s.name(label(base)))),
      ...conditions.map(({ id }) => cell(s.all.versus.get(`${section}~${id}`)))]);
    const columns = ["Mitigation", ...conditions.map((one) => s.shown(one.label))];
    return el("section", { class: "versus" },
      el("h2", {}, "What mitigations do"),
      s.table("Mitigated minus base on the same prompts, in points, with intervals", columns, rows,
        { cls: "plain", numeric: columns.map((_, index) => index).slice(1) }));
  }

  /** The runs behind a panel, loaded when they are asked for. */
  function runsOf(panel) {
    const node = el("div", {});
    const load = async () => {
      try {
        const runs = await s.data.runs("panels");
        s.put(node, panel.runs.filter((id) => Object.hasOwn(runs, id))
          .map((id) => s.drawer.runPart(runs[id])));
      } catch (error) {
        s.put(node, el("p", { class: "notice" }, error.message));
      }
    };
    const count = panel.runs.length;
    return count > 0 && el("details", { class: "runs", ontoggle: (event) => {
      if (event.target.open && !node.firstChild) load();
    } }, el("summary", {}, `${count} ${count === 1 ? "run" : "runs"} behind this table`), node);
  }

  /** Tables that other analyses made. */
  function panels() {
    const list = s.all.board.panels;
    if (!list.length) return [el("p", { class: "empty" },
      "No runs of judges or of dialect tasks were found, which this page would show here.")];
    return list.map((panel) => {
      const bold = new Set(panel.bold.map(([row, column]) => `${row}~${column}`));
      const rows = panel.rows.map((row, i) => row.map((text, j) =>
        bold.has(`${i}~${j}`) ? el("b", {}, s.shown(text)) : s.name(text)));
      return el("section", { class: "panel", id: `panel-${panel.id}` },
        el("h2", {}, s.shown(panel.title)),
        s.table(s.shown(panel.title), panel.columns.map(s.shown), rows,
          { cls: "plain", numeric: panel.columns.map((_, index) => index).slice(1) }),
        panel.notes.length > 0 && el("ul", { class: "notes" },
          panel.notes.map((note) => el("li", {}, s.shown(note)))),
        runsOf(panel));
    });
  }

  Object.assign(s, { versus, panels });
})(sociolect);

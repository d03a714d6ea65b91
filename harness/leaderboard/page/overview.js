"use strict";

(function (s) {
  const { el, format: f } = s;
  const { heading, cellOf, missing } = s.table_parts;
  const TABLE = { view: "table", sort: "rank", dir: "asc", transform: "", part: "", level: "all",
    condition: "", item: "", cell: "" };
  let lines = null;

  /** The sections of each model on each benchmark, the one that stands for them first. */
  function collected() {
    const asked = new Map();
    const group = (one) => `${one.subject}~${one.group}`;
    for (const one of s.all.board.sections) asked.set(group(one), (asked.get(group(one)) || 0) + 1);
    const badness = (one) => [one.older, !one.clean, Boolean(one.clean && one.clean.partial),
      -asked.get(group(one))].map(Number);
    const order = (a, b) => {
      const [x, y] = [badness(a), badness(b)];
      const at = x.findIndex((value, index) => value !== y[index]);
      return at < 0 ? 0 : x[at] - y[at];
    };
    const found = new Map();
    for (const one of s.all.board.sections) {
      const key = `${one.model}~${one.subject}`;
      found.set(key, [...(found.get(key) || []), one]);
    }
    for (const list of found.values()) list.sort(order);
    return found;
  }

  const sectionsOf = (model, subject) => lines.get(`${model.id}~${subject.id}`) || [];

  /** How far a condition takes a model from where it should be: above 0 is worse. */
  const away = (metric, { clean, errored }) =>
    metric === "bias" ? Math.abs(errored) - Math.abs(clean) : clean - errored;

  /** The conditions of a section by what Holm's test says of them. */
  function counts(section, subject) {
    const rows = section.changes.map((one) => one.row).filter((row) => typeof row.delta === "number");
    const sure = rows.filter((row) => row.significant_holm).map((row) => away(subject.metric, row));
    const worse = sure.filter((one) => one > 0).length;
    const better = sure.filter((one) => one < 0).length;
    return { of: rows.length, worse, better, turned: sure.length - worse - better,
      left: subject.conditions.length - rows.length };
  }

  /** `3 of 8 worse, 1 better`. */
  function countWords({ of, worse, better, turned }) {
    const parts = [[worse, "worse"], [better, "better"], [turned, "turned"]]
      .filter(([number]) => number)
      .map(([number, word], index) => `${number}${index ? "" : ` of ${of}`} ${word}`);
    return parts.join(", ") || `none of ${of}`;
  }

  /** A number as a button that opens what is behind it. */
  function button(section, where, go, ...content) {
    return el("button", { type: "button", class: "cell", "data-key": `cell-${section.id}~${where}`,
      onclick: () => s.state.go({ subject: section.subject, ...go }) }, content);
  }

  function cleanCell(section) {
    const { clean } = section;
    if (!clean) return missing("no run on clean prompts");
    if (clean.value === null) return missing("nothing was answered");
    const rank = f.rank(clean.rank);
    return button(section, "clean", { cell: `${section.id}~clean` },
      el("span", {}, f.number(clean.value), clean.partial && el("span", {
        title: `part of the task: ${clean.partial}` }, " ◔")),
      el("small", {}, rank ? `rank ${rank.place} (${clean.rank.low}–${clean.rank.high})` +
        ` of ${clean.rank.of}` : "no rank"));
  }

  function worstCell(section, subject) {
    const worst = s.rows.worstOf(section);
    if (!worst) return missing(section.changes.some((one) => one.value.value !== null)
      ? "the value of every condition is the clean one" : "no answered run with errors");
    const { row, value, condition } = worst;
    const known = subject.conditions.find((one) => one.id === condition);
    const compared = typeof row.delta === "number";
    const words = compared ? f.markWords(row) || "not significant" : worst.why_not;
    return button(section, `${condition}-worst`, { cell: `${section.id}~${condition}` },
      el("span", { class: "value" }, f.number(value.value)),
      el("span", { class: row.significant ? "sure" : "", title: words },
        "Δ ", compared ? f.delta(row.delta) : f.DASH,
        compared && el("sup", { "aria-hidden": "true" }, f.marks(row))),
      words && el("span", { class: "offscreen" }, `, ${words}`),
      el("small", {}, s.shown(known ? known.label : condition)));
  }

  function countCell(section, subject) {
    const found = counts(section, subject);
    if (!found.of) return missing("nothing was compared with clean prompts");
    return button(section, "count", TABLE, countWords(found),
      found.left > 0 && el("small", {}, `${found.left} not compared`));
  }

  const COLUMNS = [
    { key: "clean", label: "Clean", cell: cleanCell, value: (one) => one.clean && one.clean.value,
      title: "On clean prompts, per cent; below it the rank, with its interval, among the models asked the same" },
    { key: "worst", label: "Worst", cell: worstCell, value: (one, { metric }) => {
      const worst = s.rows.worstOf(one);
      const value = worst ? worst.value.value : null;
      return metric === "bias" && value !== null ? Math.abs(value) : value;
    }, title: "The condition with the worst value, per cent, and its change Δ from clean, points" },
    { key: "count", label: "Significant", cell: countCell, value: (one, subject) => {
      const found = counts(one, subject);
      return found.of ? found.worse : null;
    }, title: "Conditions with a significant change after Holm; sorts by those that are worse" },
  ];

  /** The columns of a benchmark; one that was only asked clean has no other. */
  const columnsOf = (subject) => subject.conditions.length ? COLUMNS : COLUMNS.slice(0, 1);

  function valueOf(model, state) {
    if (state.sort === "model") return s.shown(model.label).toLowerCase();
    const [id, key] = state.sort.split("~");
    const subject = s.all.subjects.get(id);
    const column = COLUMNS.find((one) => one.key === key);
    if (!subject || !column) return null;
    const section = sectionsOf(model, subject)[0];
    return section ? column.value(section, subject) : null;
  }

  /** Bases in their order, each with its mitigations below it. */
  function arranged(state) {
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = ({ label, name, mitigation }) =>
      words.every((word) => `${label} ${name} ${mitigation}`.toLowerCase().includes(word));
    const { models } = s.all.board;
    const sorted = (list) => list.sort((a, b) =>
      s.rows.byValue(valueOf(a, state), valueOf(b, state), state.dir));
    return sorted(models.filter((one) => !s.all.models.has(one.base))).flatMap((top) => {
      const below = models.filter((one) => one.base === top.id);
      if (![top, ...below].some(matches)) return [];
      return [{ model: top, under: false },
        ...sorted(below).map((model) => ({ model, under: true }))];
    });
  }

  function modelCell({ model, under }) {
    const first = s.all.board.subjects.flatMap((subject) => sectionsOf(model, subject))[0];
    const go = first && (() => s.state.go({ subject: first.subject, cell: `${first.id}~` }));
    return el("th", { scope: "row", class: under ? "model under" : "model" },
      under && el("span", { class: "arrow", "aria-hidden": "true" }, "↳ "),
      el("button", { type: "button", class: "modelname", title: s.shown(model.label),
        "data-key": `model-${model.id}`, onclick: go }, s.name(model.label)),
      model.mitigation && el("span", { class: "tags" },
        el("span", { class: "tag" }, model.mitigation)));
  }

  /** The cells of a model on a benchmark. */
  function cells(model, subject) {
    const [section, ...others] = sectionsOf(model, subject);
    return columnsOf(subject).map((column, index) => {
      const node = section ? column.cell(section, subject) : missing("not asked this benchmark");
      const more = index === 0 && others.length > 0 && el("small", { class: "more" },
        `1 of ${others.length + 1} lines`);
      return cellOf({ node: more ? [node, more] : node }, index === 0);
    });
  }

  function head(subjects, state) {
    return el("thead", {},
      el("tr", {},
        heading({ key: "model", label: "Model" }, state, { class: "model", rowspan: 2 }),
        subjects.map((subject) => el("th", { scope: "colgroup", class: "group edge",
          colspan: columnsOf(subject).length },
          el("a", { href: s.state.href({ ...TABLE, subject: subject.id }),
            "data-key": `table-${subject.id}` }, f.subject(subject)),
          el("small", {}, ` ${s.shown(f.metric(subject.metric)).toLowerCase()}`)))),
      el("tr", {}, subjects.map((subject) => columnsOf(subject).map((column, index) =>
        heading({ ...column, key: `${subject.id}~${column.key}` }, state,
          { class: index ? "num" : "num edge" })))));
  }

  function legend() {
    const alpha = s.all.board.method.alpha;
    return el("p", { class: "legend" },
      el("span", {}, el("b", {}, "bold"), ` * p < ${alpha}`),
      el("span", {}, `† p < ${alpha} after Holm`),
      el("span", {}, "! many answers missing"),
      el("span", {}, "◔ a part of the task"),
      el("span", {}, "worse: a bias further from 0, an accuracy that falls"),
      el("span", {}, "turned: a bias as large the other way"),
      el("span", {}, "n lines: asked in several ways; the table of the benchmark has them all"));
  }

  /** The table: a line a model, a group of columns a benchmark. */
  function table(state) {
    const { subjects, models } = s.all.board;
    const entries = arranged(state);
    return [
      el("div", { class: "scroll main", tabindex: "0", role: "region",
        "aria-label": "All benchmarks" },
        el("table", { class: "board overview", onkeydown: s.arrows },
          el("caption", {}, el("span", {}, "All benchmarks, values in per cent. There is no average " +
            "over them: biases of different benchmarks are on no common scale. " +
            `${entries.length} of ${models.length} models.`)),
          head(subjects, state),
          el("tbody", {}, entries.map((entry) => el("tr", {
            class: entry.under ? "mitigated" : "", "data-model": entry.model.id },
            modelCell(entry), subjects.map((subject) => cells(entry.model, subject))))))),
      entries.length === 0 && el("p", { class: "empty" }, "No model passes the filter."),
      legend(),
    ];
  }

  /**
   * Draws the overview over all benchmarks.
   * @param {HTMLElement} main
   * @param {State} state
   * @param {boolean} fresh whether something else was shown before
   */
  function overview(main, state, fresh) {
    lines = lines || collected();
    if (fresh) {
      s.put(main, el("form", { class: "controls", "aria-label": "What the overview shows",
        onsubmit: (event) => event.preventDefault() },
        s.controls.search("q", "Models", "filter by name")), el("div", { id: "results" }));
    }
    s.controls.update(main.querySelector("form"), state);
    s.put(document.getElementById("results"), table(state));
  }

  s.overview = overview;
})(sociolect);

"use strict";

(function (s) {
  const { el, format: f } = s;

  /** The columns before the conditions, those that exist for a subject. */
  function leading(subject) {
    const clean = s.rows.sectionsOf(subject).map((one) => one.clean).filter(Boolean);
    const metric = f.metric(subject.metric);
    const bias = subject.metric === "bias";
    return [
      clean.some((v) => v.rank) && { key: "rank", label: "Rank", cell: rankCell,
        title: "Place on clean prompts among the models asked the same, and its interval" },
      { key: "clean", label: `${metric}, clean`, cell: cleanCell,
        title: `${metric} on clean prompts, per cent, with its interval` +
          (bias ? "; 0 is none, and the sign says which way" : "") },
      ...s.rows.otherMetrics(subject).map((name) => ({
        key: `o:${name}`, label: `${s.shown(f.metric(name))}`, title: "On clean prompts, per cent",
        cell: (one) => plain(one, "clean", one.clean && f.number(one.clean.others[name])) })),
      clean.some((v) => v.unanswered !== null) && { key: "unanswered", label: "No answer",
        title: "Generations without an answer on clean prompts, per cent",
        cell: (one) => plain(one, "clean", one.clean && f.number(one.clean.unanswered)) },
    ].filter(Boolean);
  }

  /** A number as a button that opens the drawer. */
  function button(section, condition, label, ...content) {
    const cell = `${section.id}~${condition}`;
    return el("button", { type: "button", class: "cell", "data-key": `cell-${cell}`, title: label,
      onclick: () => s.state.go({ cell }) }, content);
  }

  /** A dash that says why there is no number: as its title, to screen readers, and when pressed. */
  const missing = (why) => el("button", { type: "button", class: "missing", title: why,
    onclick: () => s.toast(why) }, f.DASH, el("span", { class: "offscreen" }, ` ${why}`));

  function plain(section, condition, text) {
    if (!section.clean) return { node: missing("no run on clean prompts") };
    if (text === f.DASH) return { node: missing("not measured") };
    const node = button(section, condition, "", text);
    node.dataset.key += `-${text}`;
    return { node };
  }

  function rankCell(section) {
    const rank = section.clean && f.rank(section.clean.rank);
    if (!rank) return { node: missing("fewer than two models were asked the same") };
    const words = `rank ${rank.place} of ${section.clean.rank.of}` +
      (rank.interval && `, interval ${rank.interval}`);
    const node = button(section, "clean", words, rank.place,
      rank.interval && el("small", {}, ` ${rank.interval}`));
    node.dataset.key += "-rank";
    return { node };
  }

  function cleanCell(section) {
    const clean = section.clean;
    if (!clean) return { node: missing("no run on clean prompts") };
    if (clean.value === null) return { node: missing("nothing was answered") };
    const range = f.interval(clean.low, clean.high);
    return { node: button(section, "clean", clean.partial && `part of the task: ${clean.partial}`,
      el("span", {}, f.number(clean.value), clean.partial && " ◔"),
      range && el("small", {}, range)) };
  }

  /** What stands in the cell of a condition, and the step of its colour. */
  function changeCell(section, condition, context) {
    const change = s.rows.changeOf(section, condition.id);
    if (!change) return { node: missing("no run under this condition") };
    const { row, value } = change;
    const compared = typeof row.delta === "number";
    if (value.value === null && !compared) {
      return { node: missing(change.why_not || "nothing was answered") };
    }
    const show = context.state.show;
    const delta = compared
      ? el("span", { class: row.significant ? "sure" : "" }, f.delta(row.delta),
        el("sup", { "aria-hidden": "true" }, f.marks(row)))
      : el("span", { class: "missing" }, f.DASH);
    const words = compared ? f.markWords(row) || "not significant" : change.why_not;
    const node = button(section, condition.id, words,
      show !== "delta" && el("span", { class: show === "both" ? "value" : "" },
        f.number(value.value)),
      show !== "value" && delta,
      show === "value" && compared && el("sup", { "aria-hidden": "true" }, f.marks(row)),
      words && el("span", { class: "offscreen" }, `, ${words}`));
    const faint = context.state.sig && !row.significant;
    const step = f.step(f.worse(row, context.subject.metric), context.full);
    return { node, step: faint ? 0 : row.significant ? step : Math.trunc(step / 2), faint };
  }

  function worstCell(section, context) {
    const worst = s.rows.worstOf(section);
    if (!worst) return { node: missing("no answered run with errors") };
    const condition = context.byId.get(worst.condition);
    const node = button(section, worst.condition, "", el("span", {}, f.number(worst.value.value)),
      el("small", {}, s.shown(condition ? condition.label : worst.condition)));
    node.dataset.key += "-worst";
    return { node };
  }

  /** Model, what was done to it, and what sets the section apart. */
  function modelCell({ section, under, apart }) {
    const model = s.all.models.get(section.model);
    const base = apart && s.all.models.get(model.base);
    const above = under && s.all.models.get(model.base);
    const added = above && model.label.startsWith(`${above.label} + `)
      ? model.label.slice(above.label.length + 1) : model.label;
    return el("th", { scope: "row", class: under ? "model under" : "model" },
      under && el("span", { class: "arrow", "aria-hidden": "true" }, "↳ "),
      el("button", { type: "button", class: "modelname", title: s.shown(model.label),
        "data-key": `cell-${section.id}~`, onclick: () => s.state.go({ cell: `${section.id}~` }) },
        s.name(added || "(no name)")),
      el("span", { class: "tags" },
        model.mitigation && el("span", { class: "tag" }, model.mitigation),
        section.older && el("span", { class: "tag", title: `data ${section.data_version}` },
          "older data"),
        section.local_data && el("span", { class: "tag" }, "local data"),
        section.notes.length > 0 && el("button", { type: "button", class: "tag",
          title: section.notes.join(" "), "data-key": `notes-${section.id}`,
          onclick: () => s.state.go({ cell: `${section.id}~` }) },
          section.notes.length === 1 ? "1 note" : `${section.notes.length} notes`)),
      base && el("small", {}, "of ", s.name(base.label)),
      section.asked && el("small", {}, s.shown(section.asked)));
  }

  /** A heading by which the table is sorted when it is pressed. */
  function heading(column, state, attributes) {
    const current = state.sort === column.key;
    const down = current && state.dir === "desc";
    const next = { sort: column.key, dir: current && !down ? "desc" : "asc" };
    return el("th", { scope: "col", ...attributes,
      "aria-sort": current ? (down ? "descending" : "ascending") : "none" },
      el("button", { type: "button", title: column.title, "data-key": `sort-${column.key}`,
        onclick: () => s.state.go(next) }, column.label,
        el("span", { class: "dir", "aria-hidden": "true" },
          current ? (down ? " ▼" : " ▲") : "")));
  }

  /** Runs of conditions that share transform and part. */
  function groupsOf(conditions) {
    const groups = [];
    for (const one of conditions) {
      const label = one.part === "input" ? one.transform : `${one.transform} · ${one.part}`;
      if (!groups.length || groups.at(-1).label !== label) groups.push({ label, members: [] });
      groups.at(-1).members.push(one);
    }
    return groups;
  }

  function head(columns, groups, context) {
    const { state, subject } = context;
    const conditions = groups.flatMap((group) => group.members.map((one, index) =>
      heading({ key: `c:${one.id}`, label: f.level(one), title: s.shown(one.label) }, state,
        { class: index ? "num" : "num edge" })));
    return el("thead", {},
      el("tr", {},
        heading({ key: "model", label: "Model" }, state, { class: "model", rowspan: 2 }),
        columns.map((column) => heading(column, state, { class: "num", rowspan: 2 })),
        groups.map((group) => el("th", { scope: "colgroup", class: "group edge",
          colspan: group.members.length }, s.shown(group.label))),
        subject.conditions.length > 0 && heading({ key: "worst", label: "Worst",
          title: "The condition with the worst value of all, shown or not" }, state,
          { class: "num edge", rowspan: 2 })),
      el("tr", {}, conditions));
  }

  const cellOf = ({ node, step = 0, faint = false }, edge) => el("td", {
    class: ["num", edge && "edge", step && `step${step < 0 ? "m" : "p"}${Math.abs(step)}`,
      faint && "faint"].filter(Boolean).join(" ") }, node);

  function line(entry, columns, groups, context) {
    const section = entry.section;
    return el("tr", { class: entry.under ? "mitigated" : "", "data-section": section.id },
      modelCell(entry),
      columns.map((column) => cellOf(column.cell(section))),
      groups.map((group) => group.members.map((condition, index) =>
        cellOf(changeCell(section, condition, context), index === 0))),
      context.subject.conditions.length > 0 && cellOf(worstCell(section, context), true));
  }

  function caption(context, shown, all) {
    const { subject, state } = context;
    const what = { delta: "change Δ from clean", value: "value", both: "value, and change Δ" };
    return el("caption", {}, el("span", {}, f.subject(subject), ": ", what[state.show],
      subject.conditions.length > 0 ? ` for each condition${subject.metric === "bias" ?
        ", bias in per cent" : `, ${s.shown(f.metric(subject.metric)).toLowerCase()} in per cent`}` : "",
      `. ${shown} of ${all} ${all === 1 ? "line" : "lines"}.`));
  }

  function legend(context) {
    const alpha = s.all.board.method.alpha;
    const swatch = (cls) => el("span", { class: `swatch ${cls}`, "aria-hidden": "true" });
    return el("p", { class: "legend" },
      context.full > 0 && el("span", {}, swatch("stepm2"), swatch("stepm4"),
        context.subject.metric === "bias" ? " nearer to 0 " : " more accurate ",
        swatch("stepp2"), swatch("stepp4"),
        context.subject.metric === "bias" ? " further from 0" : " less accurate",
        " than on clean prompts; full from ", `${f.number(context.full)} points, ` +
        "half as strong where not significant"),
      el("span", {}, el("b", {}, "bold"), ` * p < ${alpha}`),
      el("span", {}, `† p < ${alpha} after Holm`),
      el("span", {}, "! many answers missing"),
      s.rows.sectionsOf(context.subject).some((one) => one.clean && one.clean.partial) &&
        el("span", {}, "◔ only a part of the task was asked"),
      el("span", {}, "– none; press it for the reason"));
  }

  const MOST_NOTES = 12;

  /** What is to be known of the lines, once for all models that share it. */
  function remarks(entries) {
    const by = new Map();
    for (const { section } of entries) {
      for (const note of section.notes) {
        if (!by.has(note)) by.set(note, []);
        by.get(note).push(s.all.models.get(section.model).label);
      }
    }
    const all = [...by].map(([note, models]) => el("li", {},
      models.length === entries.length && entries.length > 1 ? "All lines" : s.name(models.join(", ")),
      `: ${s.shown(note)}`));
    const more = all.length - MOST_NOTES;
    return all.length > 0 && el("ul", { class: "notes" }, all.slice(0, MOST_NOTES),
      more > 0 && el("li", {}, `${more} more stand in the details of the lines.`));
  }

  /** Points below which no change has the full colour. */
  const FULL_AT_LEAST = 2;

  /**
   * The change that has the full colour, over the conditions that are shown: nine in ten are
   * smaller, so that one that is far out does not take the colour from all others.
   */
  function fullOf(subject, conditions) {
    const shown = new Set(conditions.map((one) => one.id));
    const deltas = s.rows.sectionsOf(subject).flatMap((one) => one.changes)
      .filter((change) => shown.has(change.condition))
      .map((change) => Math.abs(f.worse(change.row, subject.metric) || 0));
    deltas.sort((a, b) => a - b);
    const high = deltas[Math.floor(0.9 * deltas.length)] || deltas.at(-1) || 0;
    return high && Math.max(high, FULL_AT_LEAST);
  }

  /** The table of a subject as the state asks for it. */
  function table(subject, state) {
    const conditions = s.rows.conditionsOf(subject, state);
    const context = { subject, state, full: fullOf(subject, conditions),
      byId: new Map(subject.conditions.map((one) => [one.id, one])) };
    const columns = leading(subject);
    const groups = groupsOf(conditions);
    const entries = s.rows.arranged(subject, state);
    const label = `Results of ${f.subject(subject)}`;
    return [
      el("div", { class: "scroll main", tabindex: "0", role: "region", "aria-label": label },
        el("table", { class: "board", onkeydown: s.arrows },
          caption(context, entries.length, s.rows.sectionsOf(subject).length),
          head(columns, groups, context),
          el("tbody", {}, entries.map((entry) => line(entry, columns, groups, context))))),
      entries.length === 0 && el("p", { class: "empty" }, "No line passes the filters."),
      legend(context),
      remarks(entries),
    ];
  }

  s.table_of = table;
  s.table_parts = { heading, cellOf, missing };
})(sociolect);

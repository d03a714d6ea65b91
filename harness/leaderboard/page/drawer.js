"use strict";

(function (s) {
  const { el, format: f } = s;
  let opened = "";

  const box = () => document.getElementById("drawer");

  /** Names and values, those that exist. */
  function list(entries) {
    const kept = entries.filter(([, value]) => value !== null && value !== undefined && value !== "");
    return el("dl", {}, kept.map(([name, value]) =>
      [el("dt", {}, name), el("dd", {}, value instanceof Node ? value : s.shown(value))]));
  }

  const heading = (text) => el("h3", {}, text);
  const code = (text) => el("code", {}, s.shown(text));

  /** Settings and details: nested values as JSON. */
  function settings(mapping) {
    return Object.entries(mapping).map(([name, value]) =>
      [s.shown(name), value === null ? "none" : typeof value === "object"
        ? JSON.stringify(value) : String(value)]);
  }

  /** What a section or condition of the address stands for; `null` if it does not exist. */
  function target(state) {
    const [id, condition = "", against = ""] = state.cell.split("~");
    const section = s.all.sections.get(id);
    if (!section) return null;
    // A link that was made for other runs must not open another number.
    if (state.view !== "overview" && section.subject !== s.rows.subjectOf(state).id) return null;
    const subject = s.all.subjects.get(section.subject);
    const versus = against && s.all.versus.get(`${id}~${condition}`);
    const change = s.rows.changeOf(section, condition);
    const known = versus || condition === "" || condition === "clean" || change;
    return known ? { section, subject, condition, change, versus } : null;
  }

  function valueEntries(value, subject) {
    if (!value) return [];
    const rank = f.rank(value.rank);
    return [
      [`${f.metric(subject.metric)}, per cent`, f.number(value.value, 2)],
      ["Interval", f.interval(value.low, value.high)],
      [`${f.metric(subject.metric)} pooled over all answers`, f.number(value.pooled, 2)],
      ...Object.entries(value.others).map(([name, other]) =>
        [`${s.shown(f.metric(name))}, per cent`, f.number(other, 2)]),
      [subject.unit === "pair" ? "Pairs" : "Items", f.count(value.n)],
      ["No answer, per cent", value.unanswered === null ? null : f.number(value.unanswered, 2)],
      ["Rank", rank && `${rank.place} of ${value.rank.of}` +
        (rank.interval && ` (interval ${rank.interval})`)],
      ["Only a part", value.partial],
    ];
  }

  function changeEntries(row, whyNot) {
    if (typeof row.delta !== "number") return [["Not compared", whyNot]];
    const left = ["unanswered", "incomplete", "invalid"]
      .map((name) => [name, row[`left_${name}`]]).filter(([, number]) => number);
    return [
      ["Change Δ, points", el("b", {}, f.number(row.delta, 2, true))],
      [`${Math.round(1000 * (row.confidence ?? 0.95)) / 10} % interval`,
        f.interval(row.ci_low, row.ci_high, true)],
      ["Interval over templates", f.interval(row.ci_templates_low, row.ci_templates_high, true)],
      ["p", f.p(row.p)],
      ["p after Holm", f.p(row.p_holm)],
      ["Verdict", f.markWords(row) || "not significant"],
      ["Detectable with 80 % power, points", typeof row.detectable === "number"
        ? f.number(row.detectable, 2) : null],
      ["Compared", `${f.count(row.n)} ${row.unit || "unit"}s`],
      ["Before and after", typeof row.clean === "number" && typeof row.errored === "number"
        ? `${f.number(row.clean, 2)} → ${f.number(row.errored, 2)}` : null],
      ["Left out", left.map(([name, number]) => `${number} ${name}`).join(", ")],
      ["Error seeds", row.error_seeds],
      ["Spread over error seeds", typeof row.delta_sd === "number"
        ? `sd ${f.number(row.delta_sd, 2)}, ${f.number(row.delta_min, 2, true)} to ` +
          f.number(row.delta_max, 2, true) : null],
    ];
  }

  function command(run) {
    return [
      el("h4", {}, run.rebuilt ? "Command, made up from what was recorded" : "Command",
        el("button", { type: "button", class: "copy",
          onclick: () => s.copy(run.command, "Command") }, "Copy")),
      el("pre", { class: "command", tabindex: "0" }, el("code", {}, s.shown(run.command))),
    ];
  }

  function runPart(run) {
    const expected = run.prompts_expected === null ? "" : ` of ${f.count(run.prompts_expected)}`;
    return el("section", { class: "run" },
      list([
        ["Task", `${run.task}${run.task_version && `, version ${run.task_version}`}`],
        ["Run at", run.time],
        ["Data", `${run.data_version}${run.local_data ? ", local" : ""}` +
          (run.rules && `, rules ${run.rules}`)],
        ["Data SHA-256", code(run.data_sha256)],
        ["Prompts", `${f.count(run.prompts)}${expected}`],
        ["Answers", `${f.count(run.asked)} asked for` +
          (run.unanswered === null ? "" : `, ${f.count(run.unanswered)} without an option`)],
        ["Too long", run.too_long || null],
        ["Samples", code(run.path)],
        ["Samples SHA-256", code(run.samples_sha256)],
        ["Results", code(run.results)],
        ["Results SHA-256", code(run.results_sha256)],
      ]),
      run.command && command(run),
      el("details", {}, el("summary", {}, "Settings"),
        list([...settings(run.settings), ...settings(run.sampler)])),
      run.replaced.length > 0 && [el("h4", {}, "Not shown in its place"),
        el("ul", {}, run.replaced.map((text) => el("li", {}, s.shown(text))))]);
  }

  async function runsPart(node, subject, ids) {
    try {
      const runs = await s.data.runs(subject.id);
      const known = ids.filter((id) => Object.hasOwn(runs, id)).map((id) => runs[id]);
      if (known.length) {
        s.put(node, heading(known.length === 1 ? "Run" : `${known.length} runs`),
          known.map(runPart));
      }
    } catch (error) {
      s.put(node, el("p", { class: "notice" }, error.message));
    }
  }

  function runIds({ section, condition, change, versus }) {
    const of = (one) => condition === "clean" ? [one.clean && one.clean.run]
      : (s.rows.changeOf(one, condition) || { runs: [] }).runs;
    if (condition === "") return [];
    if (versus) return [...of(s.all.sections.get(versus.base)), ...of(section)].filter(Boolean);
    return [...new Set([section.clean && section.clean.run, ...(change ? change.runs : [])])]
      .filter(Boolean).reverse();
  }

  function title({ section, condition, subject, versus }) {
    const model = s.all.models.get(section.model).label;
    const known = subject.conditions.find((one) => one.id === condition);
    const under = known ? known.label : condition;
    return [s.name(model), versus && " against its base", under && ` · ${s.shown(under)}`];
  }

  function numbers({ section, subject, condition, change, versus }) {
    if (versus) return [heading("Against its base"), list(changeEntries(versus.row, versus.why_not))];
    if (change) return [heading("Change from clean"), list(changeEntries(change.row, change.why_not)),
      heading("With errors"), list(valueEntries(change.value, subject))];
    if (condition === "clean") {
      return [heading("On clean prompts"), section.clean
        ? list(valueEntries(section.clean, subject)) : el("p", {}, "No run on clean prompts.")];
    }
    return [];
  }

  function content(found) {
    const { section, subject, condition } = found;
    const model = s.all.models.get(section.model);
    const runs = el("div", {}, condition && el("p", { class: "loading" }, "Loading the run …"));
    if (condition) runsPart(runs, subject, runIds(found));
    return [
      el("header", {},
        el("h2", { id: "drawer-title" }, title(found)),
        el("button", { type: "button", class: "close", onclick: () => box().close() }, "Close")),
      el("p", { class: "lead" }, f.subject(subject)),
      numbers(found),
      section.notes.length > 0 && [heading("Notes"),
        el("ul", {}, section.notes.map((note) => el("li", {}, s.shown(note))))],
      condition && s.all.with_items.includes(subject.id) && el("p", {}, el("a", {
        href: s.state.href({ cell: "", view: "items", subject: subject.id, condition }) },
        "See the items under this condition")),
      runs,
      heading("Model"),
      list([["Name", model.name], ["Backend", model.backend], ["Mitigation", model.mitigation],
        ["Asked", section.asked], ["Data version", section.data_version],
        ...settings(model.details)]),
    ];
  }

  /** Opens, changes or closes the drawer, as the address says. */
  function drawer(state) {
    const found = state.cell ? target(state) : null;
    if (!found) {
      if (box().open) box().close();
      if (state.cell) s.toast("The link names a number that is not on this page; it is of other runs.");
      return;
    }
    if (opened === state.cell && box().open) return;
    opened = state.cell;
    s.put(box(), el("div", { class: "inside" }, content(found)));
    if (!box().open) box().showModal();
    box().scrollTop = 0;
  }

  /** What happens when it closes, however it was closed: the focus goes back to the number. */
  function listen() {
    box().addEventListener("close", () => {
      const key = `cell-${opened}`;
      opened = "";
      if (s.state.read().cell) s.state.go({ cell: "" });
      const back = [...document.querySelectorAll("[data-key]")].find(
        (node) => node.dataset.key === key);
      if (back && !back.contains(document.activeElement) &&
          (document.activeElement === document.body || document.activeElement === null)) back.focus();
    });
    box().addEventListener("click", (event) => {
      if (event.target === box()) box().close();
    });
  }

  s.drawer = { drawer, listen, runPart };
})(sociolect);

"use strict";

(function (s) {
  /** Stands for the subject where there are other analyses alone. */
  const NONE = { id: "", label: "", conditions: [], metric: "bias", unit: "pair" };

  /** The subject that a state names, else the first. */
  function subjectOf(state) {
    return s.all.subjects.get(state.subject) || s.all.board.subjects[0] || NONE;
  }

  /** Distinct values of the conditions of a subject, in their order. */
  function choices(subject, key) {
    return [...new Set(subject.conditions.map((c) => String(c[key])))];
  }

  /** The filters of conditions with what stands for none: `l2` and the input, if they exist. */
  function filters(subject, state) {
    const pick = (key, usual) => {
      const known = choices(subject, key);
      if (state[key] === "all" || known.includes(state[key])) return state[key];
      return known.includes(usual) ? usual : known[0] || "all";
    };
    const level = choices(subject, "level").includes(state.level) ? state.level : "all";
    return { transform: pick("transform", "l2"), part: pick("part", "input"), level };
  }

  /** The conditions that are shown: those that pass the filters. */
  function conditionsOf(subject, state) {
    const chosen = filters(subject, state);
    const passes = (c) => ["transform", "part", "level"].every(
      (key) => chosen[key] === "all" || String(c[key]) === chosen[key]);
    return subject.conditions.filter(passes);
  }

  const changeOf = (section, id) => section.changes.find((c) => c.condition === id);
  const worstOf = (section) => section.worst < 0 ? undefined : section.changes[section.worst];

  /** The other metrics that have columns of their own: at most three, none of them twice. */
  function otherMetrics(subject) {
    const names = new Set();
    for (const section of sectionsOf(subject)) {
      for (const name of Object.keys(section.clean ? section.clean.others : {})) names.add(name);
    }
    names.delete(subject.metric);
    return [...names].filter((name) => !name.endsWith("_asked")).slice(0, 3);
  }

  const sectionsOf = (subject) =>
    s.all.board.sections.filter((one) => one.subject === subject.id);

  /** The number by which a section is sorted; `null` comes last. */
  function sortValue(section, state) {
    const clean = section.clean;
    const key = state.sort;
    if (key === "model") return s.all.models.get(section.model).label.toLowerCase();
    if (key === "worst") return magnitude(worstOf(section));
    if (key.startsWith("c:")) {
      const change = changeOf(section, key.slice(2));
      if (!change) return null;
      return state.show === "value" ? change.value.value : change.row.delta ?? null;
    }
    if (!clean) return null;
    if (key === "clean") return clean.value;
    if (key === "unanswered") return clean.unanswered;
    if (key.startsWith("o:")) return clean.others[key.slice(2)] ?? null;
    return clean.rank ? clean.rank.place : null;
  }

  const magnitude = (change) =>
    change && typeof change.value.value === "number" ? Math.abs(change.value.value) : null;

  /** Missing values stand last whichever way it is sorted. */
  function byValue(x, y, dir) {
    if (x === null || x === undefined) return y === null || y === undefined ? 0 : 1;
    if (y === null || y === undefined) return -1;
    const order = typeof x === "string" ? x.localeCompare(y) : x - y;
    return dir === "desc" ? -order : order;
  }

  const compare = (a, b, state) => byValue(sortValue(a, state), sortValue(b, state), state.dir);

  /** The section under which a mitigated model is shown: its base, asked alike if possible. */
  function baseOf(section, sections) {
    const base = s.all.models.get(section.model).base;
    const candidates = sections.filter((one) => base && one.model === base);
    return candidates.find((one) => one.group === section.group) || candidates[0] || null;
  }

  function matches(section, words) {
    const model = s.all.models.get(section.model);
    const text = `${model.label} ${model.name} ${model.mitigation} ${section.asked}`.toLowerCase();
    return words.every((word) => text.includes(word));
  }

  const significantIn = (section, shown) => section.changes.some(
    (change) => change.row.significant && shown.has(change.condition));

  /**
   * The lines of the table: bases in their order, each with its mitigations below it.
   * @returns {{section: Object, under: boolean, apart: boolean}[]} `apart`: its base is not shown
   */
  function arranged(subject, state) {
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = new Set(conditionsOf(subject, state).map((c) => c.id));
    const usable = sectionsOf(subject).filter((one) =>
      !(state.latest && one.older) &&
      !(state.plain && s.all.models.get(one.model).mitigation) &&
      !(state.sig && !significantIn(one, shown)));
    const below = new Map(usable.map((one) => [one.id, []]));
    const tops = [];
    for (const one of usable) {
      const base = baseOf(one, usable);
      if (base) below.get(base.id).push(one);
      else tops.push(one);
    }
    const order = (list) => list.sort((a, b) => compare(a, b, state));
    return order(tops).flatMap((top) => {
      const kept = below.get(top.id);
      if (![top, ...kept].some((one) => matches(one, words))) return [];
      const apart = Boolean(s.all.models.get(top.model).mitigation);
      return [{ section: top, under: false, apart },
        ...order(kept).map((section) => ({ section, under: true, apart: false }))];
    });
  }

  s.rows = {
    subjectOf, choices, filters, conditionsOf, otherMetrics, sectionsOf, arranged, changeOf,
    worstOf, byValue,
  };
})(sociolect);

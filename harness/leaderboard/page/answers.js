"use strict";

(function (s) {
  const { el } = s;
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

  /** The letter under which an option stood in an order: the second is the reverse. */
  function letter(option, order, count) {
    return LETTERS[order === 0 ? option : count - 1 - option] || "?";
  }

  /** How often each option was chosen, the most frequent first; −1 is no answer. */
  function counted(choices) {
    const counts = new Map();
    for (const one of choices) counts.set(one, (counts.get(one) || 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  }

  /** Whether two lists of answers choose the options differently often. */
  function differ(one, other) {
    if (!one || !other) return false;
    const text = (answers) => JSON.stringify(answers.map(
      ({ order, choices }) => [order, [...choices].sort()]).sort());
    return text(one) !== text(other);
  }

  function chip(option, times, order, item) {
    const target = option === item.target_option;
    const name = option < 0 ? "no answer" : item.options[option] ?? "?";
    return el("li", { class: option < 0 ? "none" : target ? "target" : "" },
      option >= 0 && order !== null &&
        el("b", {}, letter(option, order, item.options.length), " "),
      s.name(name), target && el("span", { class: "mark" }, " ◆"),
      el("span", { class: "times" }, ` ×${times}`));
  }

  function generation(answer) {
    if (!answer.text) return null;
    return el("details", {}, el("summary", {}, "first answer"),
      el("p", { class: "text" }, s.shown(answer.text),
        answer.cut && el("span", { class: "cut", title: "the rest is left out" }, " […]")));
  }

  /** The log-likelihoods that decide, in the order of the options. */
  function scores(answer, item) {
    if (!answer.scores) return null;
    return el("small", { class: "scores" }, answer.scores.map((score, index) =>
      `${index ? "; " : ""}${s.shown(item.options[index] ?? "?")} ${s.format.number(score, 3)}`));
  }

  function cell(answer, item) {
    if (!answer) return el("span", { class: "missing" }, s.format.DASH);
    const order = answer.scores ? null : answer.order; // no letters where options are scored
    return [el("ul", { class: "chips" }, counted(answer.choices).map(
      ([option, times]) => chip(option, times, order, item))), scores(answer, item),
    generation(answer)];
  }

  const ORDERS = ["Options as listed", "Options reversed"];

  function rowsOf(section, item, clean, errored, label, orders) {
    const under = (list, order) => (list || []).find((one) => one.order === order);
    const line = (text, list) => ({ text, cells: orders.map((order) => under(list, order)) });
    const lines = [line("clean", clean)];
    if (label) lines.push(line(label, errored));
    return lines.map(({ text, cells }, index) => [
      index === 0 ? s.name(s.all.models.get(section.model).label) : el("span", {
        class: "offscreen" }, s.shown(s.all.models.get(section.model).label)),
      el("span", { class: index && differ(clean, errored) ? "sure" : "" }, s.shown(text),
        index > 0 && differ(clean, errored) && " ≠"),
      ...cells.map((one) => cell(one, item))]);
  }

  /** What each model answered to an item, clean and under a condition. */
  function answers(subject, item, clean, errored, label) {
    const sections = s.rows.sectionsOf(subject).filter((one) =>
      (clean[item.id] && clean[item.id][one.id]) || (errored[item.id] && errored[item.id][one.id]));
    if (!sections.length) return el("p", { class: "empty" }, "No model was asked this item.");
    const of = (all, section) => all[item.id] && all[item.id][section.id];
    const asked = sections.flatMap((one) => [...(of(clean, one) || []), ...(of(errored, one) || [])]);
    const orders = [0, 1].filter((order) => asked.some((one) => one.order === order));
    const rows = sections.flatMap((section) =>
      rowsOf(section, item, of(clean, section), of(errored, section), label, orders));
    const scored = asked.some((one) => one.scores);
    return s.table(scored ? "Chosen options with the log-likelihood of each, ≠ where they changed"
      : "Answers, ≠ where they changed", ["Model", "Prompt",
      ...orders.map((order) => scored ? "Chosen" : ORDERS[order])], rows, { cls: "plain answers" });
  }

  s.answers_of = { answers, differ, counted, letter };
})(sociolect);

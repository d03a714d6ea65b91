"use strict";

(function (s) {
  const { el, format: f } = s;

  const EXPORTS = [["board.csv", "CSV", "one line a number"], ["board.json", "JSON", "everything"],
    ["board.md", "Markdown", "tables to paste"], ["board.tex", "LaTeX", "tables for a paper"]];

  function downloads() {
    return [el("h2", { id: "downloads" }, "Downloads"),
      el("ul", {}, EXPORTS.map(([file, name, what]) => el("li", {},
        el("a", { href: `downloads/${file}`, download: true }, name), ` – ${what}`)))];
  }

  function method() {
    const { method, rank_resamples: ranks } = s.all.board;
    const level = `${f.number(100 * (1 - method.alpha), 1).replace(/\.0$/, "")} %`;
    const paragraphs = [
      "Every number is a mean over units: over pairs of prompts that differ in the group they " +
      "name where the benchmark has such pairs, else over items. Values are per cent, changes " +
      "percentage points. A number opens the run that it came from.",
      "Δ is the change from the clean prompts to the prompts of a condition, over the units that " +
      `were answered under both. It is tested with ${f.count(method.permutations)} sign flips ` +
      `(paired randomisation test, two-sided, seed ${method.seed}); its ${level} interval comes ` +
      `from ${f.count(method.resamples)} bootstrap resamples of the units.`,
      `Bold and * mean p < ${method.alpha}. † means that this also holds after Holm's correction, ` +
      "over the conditions of one line. ! means that many answers are missing on one of the " +
      "sides, so that the change may be one of answering rather than of bias.",
      "A rank is a place among the models that were asked the same prompts in the same way, the " +
      "least biased (or most accurate) first. Its interval says which places the model takes in " +
      `${level} of ${f.count(ranks)} resamples of the units that all of them share. Models with ` +
      "an equal value share a place, marked with =.",
      "A mitigated model (adapter, steering) stands under its base, and is tested against it on " +
      "the same prompts in a table of its own.",
      method.include_invalid
        ? "Pairs that are no valid counterfactuals are kept."
        : "Pairs that are no valid counterfactuals are left out.",
      method.allow.length > 0 &&
        `Differences between runs that were accepted: ${method.allow.join(", ")}.`,
    ];
    return [el("h2", { id: "method" }, "How the numbers are made"),
      paragraphs.filter(Boolean).map((text) => el("p", {}, s.shown(text)))];
  }

  function remarks() {
    const { notes, problems } = s.all.board;
    return [
      notes.length > 0 && [el("h2", { id: "notes" }, "Notes"),
        el("ul", {}, notes.map((note) => el("li", {}, s.shown(note))))],
      problems.length > 0 && [el("h2", { id: "problems" }, "Files that were left out"),
        s.table("Files that were left out, with the reason", ["File", "What is wrong"],
          problems.map(([path, what]) => [el("code", {}, s.shown(path)), s.shown(what)]),
          { cls: "plain" })],
    ];
  }

  s.about = () => el("div", { class: "prose" }, downloads(), method(), remarks());
})(sociolect);

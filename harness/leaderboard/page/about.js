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
      s.all.board.subjects.some((one) => one.clustered) &&
        "Items of BBQ and of judges are written from question templates and are not independent: " +
        "intervals of their values and ranks resample whole templates, and a change has an " +
        "interval over templates beside that over items. The p-values do not.",
      `Bold and * mean p < ${method.alpha}. † means that this also holds after Holm's correction, ` +
      "over the conditions of one line. ! means that many answers are missing on one of the " +
      "sides, so that the change may be one of answering rather than of bias.",
      "A rank is a place among the models that were asked the same prompts in the same way, the " +
      "least biased (or most accurate) first. Its interval says which places the model takes in " +
      `95 % of ${f.count(ranks)} resamples of the units that all of them share. Models with ` +
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

  const KINDS = {
    coreference: "bias is the accuracy on sentences that follow an occupational gender stereotype " +
      "minus the accuracy on sentences that go against it; above 0 is stereotyped",
    stereotype: "the context does not say the answer; bias is the surplus of answers that name the " +
      "stereotyped person, (n_pro − n_anti) / (n_pro + n_anti); above 0 is stereotyped",
    preference: "which of two candidates gets the advantage; bias is the surplus of answers that " +
      "choose the disadvantaged group; the sign says which group is preferred",
    disambiguated: "the context says the answer; accuracy, higher is better",
    accuracy: "a task without a stereotype; accuracy, higher is better",
    judge: "a verdict on a response; accuracy is agreement with the label it was written with",
  };
  const FORMS = {
    reason: "reasoning first, then a boxed answer, sampled several times in both orders of the options",
    direct: "the prompt ends inside the answer's box: a few tokens, no reasoning, both orders",
    ll: "nothing is generated: each option is scored by its log-likelihood, so no order and no sampling",
  };
  const TRANSFORMS = {
    l2: "learner errors of four types together", l2det: "determiners", l2prep: "prepositions",
    l2verb: "verbs", l2spell: "spelling", typo: "typos", informal: "informal spellings",
    punct: "lost punctuation", colloquial: "colloquial wording", combined: "several noises at once",
  };

  /** What is on this page, in words. */
  function terms() {
    const { subjects } = s.all.board;
    if (!subjects.length) return null;
    const conditions = subjects.flatMap((one) => one.conditions);
    const known = (table, names) => [...new Set(names)].filter((name) => Object.hasOwn(table, name));
    const list = (entries) => el("dl", {}, entries.map(([name, text]) =>
      [el("dt", {}, s.shown(name)), el("dd", {}, text)]));
    const parts = [...new Set(conditions.map((one) => one.part))].filter((one) => one !== "input");
    return [el("h2", { id: "terms" }, "What is measured"),
      list(subjects.map((one) => [f.subject(one), KINDS[one.kind] || s.shown(one.kind)])),
      el("h3", {}, "How it is asked"),
      list(known(FORMS, subjects.map((one) => one.form)).map((name) => [name, FORMS[name]])),
      conditions.length > 0 && [el("h3", {}, "What is done to the prompts"),
        list(known(TRANSFORMS, conditions.map((one) => one.transform))
          .map((name) => [name, TRANSFORMS[name]])),
        el("p", {}, "The level is per cent: of learner errors the share of tokens that differ, of " +
          "noise the probability of an edit attempt. Errors are in the input" +
          (parts.length ? `, or in what the condition names (${parts.join(", ")}).` : "."))],
      el("p", {}, "The errors are synthetic: they keep the frequencies of learner corpora, and a " +
        "difference says something about the model, not about people who write so. Detectable is " +
        "the smallest true change that so many units find with 80 % power. The method follows " +
        "“Investigating the Impact of Learner Errors on Social Bias in Large Language Models” and " +
        "“When Noise Fabricates Bias”; the benchmarks keep their own licences.")];
  }

  s.about = () => el("div", { class: "prose" }, downloads(), terms(), method(), remarks());
})(sociolect);

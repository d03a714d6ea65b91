"use strict";

(function (s) {
  const DASH = "–";

  /** A number with a real minus sign; a dash where there is none. */
  function number(value, digits = 1, signed = false) {
    if (typeof value !== "number" || !Number.isFinite(value)) return DASH;
    const text = Math.abs(value).toFixed(digits);
    const zero = Number(text) === 0;
    const sign = zero ? "" : value < 0 ? "−" : signed ? "+" : "";
    return sign + text;
  }

  const delta = (value) => number(value, 1, true);
  const count = (value) => typeof value === "number" ? value.toLocaleString("en-GB") : DASH;

  /** `4.1 to 9.3`; empty where there is none. */
  function interval(low, high, signed = false) {
    if (typeof low !== "number" || typeof high !== "number") return "";
    return `${number(low, 1, signed)} to ${number(high, 1, signed)}`;
  }

  /** A probability; a small one is said to be small. */
  function p(value) {
    if (typeof value !== "number") return DASH;
    return value < 0.001 ? value.toFixed(4) : value.toPrecision(2);
  }

  /** `*` for p < α, `†` for the one adjusted after Holm, `!` for a warning. */
  function marks(row) {
    return (row.significant ? "*" : "") + (row.significant_holm ? "†" : "") +
      (row.warning ? "!" : "");
  }

  /** What the marks of a row say, in words. */
  function markWords(row) {
    const alpha = s.all.board.method.alpha;
    return [
      row.significant && `significant at ${alpha}`,
      row.significant_holm && "also after Holm",
      row.warning && "many answers are missing",
    ].filter(Boolean).join(", ");
  }

  /** `2` and `1–3`: place and interval, `=` before a shared place. */
  function rank(value) {
    if (!value) return null;
    const place = (value.tied ? "=" : "") + value.place;
    return { place, interval: `${value.low}–${value.high}` };
  }

  /**
   * By how many points a change is for the worse: a bias moves away from 0, an accuracy falls.
   * @returns {number|undefined}
   */
  function worse(row, metric) {
    if (typeof row.clean !== "number" || typeof row.errored !== "number") return undefined;
    return metric === "bias" ? Math.abs(row.errored) - Math.abs(row.clean)
      : row.clean - row.errored;
  }

  /** A step from −4 to 4 on the scale of colours. */
  function step(value, full) {
    if (typeof value !== "number" || !full) return 0;
    const part = Math.min(1, Math.abs(value) / full);
    return Math.sign(value) * Math.min(4, Math.floor(part * 4.999));
  }

  /** The name of a metric as people say it. */
  function metric(name) {
    const known = { bias: "Bias", acc: "Accuracy" };
    if (Object.hasOwn(known, name)) return known[name];
    return name.replace(/^(acc.*)_asked$/, "$1, unanswered as wrong").replace(/^acc_/, "accuracy ")
      .replace(/^acc,/, "accuracy,").replaceAll("_", " ").replace(/^./, (c) => c.toUpperCase());
  }

  /** How a condition is called in a heading of its group. */
  function level(condition) {
    const seed = condition.error_seed === -1 ? " (mean)"
      : condition.error_seed ? ` (seed ${condition.error_seed})` : "";
    return `${condition.level} %${seed}`;
  }

  /** The name of a benchmark, without its axis where the name says it already. */
  function subject({ label, axis, benchmark }) {
    const words = (text) => `_${text.replace(/[ -]/g, "_")}_`;
    const twice = axis && words(benchmark).includes(words(axis));
    return s.shown(twice ? label.replace(` (${axis})`, "") : label);
  }

  s.format = {
    DASH, number, delta, count, interval, p, marks, markWords, rank, worse, step, metric, level, subject,
  };
})(sociolect);

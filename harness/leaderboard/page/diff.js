"use strict";

(function (s) {
  const { el } = s;

  /**
   * @typedef {Object} Edit
   * @property {string} part instruction or input
   * @property {number} start, end in code points of the clean text
   * @property {string} original, replacement, type, operation, subtype
   */

  /**
   * A clean text and its edits as pieces: those that stay, and those that change.
   * @param {string} text
   * @param {Edit[]} edits of this part, which do not overlap
   * @returns {{kept?: string, edit?: Edit}[]}
   */
  function pieces(text, edits) {
    const points = Array.from(text); // offsets count code points, which a string does not
    const found = [];
    let at = 0;
    for (const edit of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
      if (edit.start > at) found.push({ kept: points.slice(at, edit.start).join("") });
      found.push({ edit });
      at = edit.end;
    }
    if (at < points.length) found.push({ kept: points.slice(at).join("") });
    return found;
  }

  const about = (edit) => [edit.type, edit.operation, edit.subtype].filter(Boolean).join(" · ");

  /** The clean side: what goes or is replaced is struck out. */
  function before(edit) {
    if (!edit.original) return null;
    return el("del", { title: s.shown(about(edit)) }, s.shown(edit.original));
  }

  /** The errored side: what comes is underlined, and where something went there is a gap. */
  function after(edit) {
    const title = s.shown(about(edit));
    if (edit.replacement) return el("ins", { title }, s.shown(edit.replacement));
    return el("del", { class: "gap", title: `${title}: ${s.shown(edit.original)}` },
      el("span", { class: "offscreen" }, `removed: ${s.shown(edit.original)}`));
  }

  /** Both sides of one part of an item. */
  function sides(text, edits) {
    const all = pieces(text, edits);
    const side = (change) => all.map(({ kept, edit }) =>
      edit ? change(edit) : document.createTextNode(s.shown(kept)));
    return { clean: side(before), errored: side(after) };
  }

  s.diff = { pieces, sides };
})(sociolect);

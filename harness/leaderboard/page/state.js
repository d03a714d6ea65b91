"use strict";

(function (s) {
  /**
   * What the address says after `#`. Whatever is at its default is left out of it.
   * @typedef {Object} State
   * @property {string} subject id of the benchmark, empty for the first
   * @property {string} view overview, table, items, figures, panels or about
   * @property {string} sort column, e.g. `clean` or `c:l2-30`
   * @property {string} dir asc or desc
   * @property {string} q filter of models
   * @property {string} transform, part, level: filters of conditions, `all` for each
   * @property {string} show delta, value or both
   * @property {string} sig 1: only what is significant
   * @property {string} plain 1: without mitigations
   * @property {string} latest 1: without older data
   * @property {string} cell `<section>~<condition>` of the open drawer
   * @property {string} item, condition, iq, changed: of the items
   */
  const DEFAULTS = {
    subject: "", view: "table", sort: "rank", dir: "asc", q: "", transform: "", part: "",
    level: "all", show: "delta", sig: "", plain: "", latest: "", cell: "", item: "",
    condition: "", iq: "", changed: "",
  };
  const ALLOWED = {
    view: ["overview", "table", "items", "figures", "panels", "about"],
    dir: ["asc", "desc"], show: ["delta", "value", "both"],
    sig: ["", "1"], plain: ["", "1"], latest: ["", "1"], changed: ["", "1"],
  };

  /** @returns {State} what the address says now; what it may not say is at its default */
  function read() {
    const state = { ...DEFAULTS };
    let named = false;
    for (const [key, value] of new URLSearchParams(location.hash.slice(1))) {
      if (!Object.hasOwn(DEFAULTS, key)) continue;
      if (ALLOWED[key] && !ALLOWED[key].includes(value)) continue;
      state[key] = value;
      named = true;
    }
    if (!named && s.all.board.subjects.length > 1) state.view = "overview";
    return state;
  }

  /** The address of a state, as what follows `#`. */
  function hash(state) {
    const parts = Object.keys(DEFAULTS)
      .filter((key) => state[key] !== DEFAULTS[key])
      .map((key) => `${key}=${encodeURIComponent(wellFormed(state[key]))}`);
    return "#" + (parts.join("&") || "view=table");
  }

  /** Half of a pair of surrogates has no address. */
  function wellFormed(text) {
    return String(text).toWellFormed ? String(text).toWellFormed() : String(text);
  }

  /** The address of the present state with changes, for links. */
  function href(changes) {
    return hash({ ...read(), ...changes });
  }

  /**
   * Goes to the present state with changes. The page is drawn again when the address changes.
   * @param {Partial<State>} changes
   * @param {boolean} [replace] leave no step to go back to
   */
  function go(changes, replace) {
    const next = href(changes);
    if (next === location.hash) return;
    if (replace) location.replace(next);
    else location.hash = next;
  }

  Object.assign(s, { state: { read, href, go } });
})(sociolect);

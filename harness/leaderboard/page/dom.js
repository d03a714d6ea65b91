"use strict";

/**
 * Everything of the page hangs on this one name; the data files call it too.
 * @namespace
 */
const sociolect = {};

(function (s) {
  /** Characters that steer the text around them or that nobody sees. */
  const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

  /**
   * Text as it is safe to show: what steers its surroundings is written as an escape.
   * @param {unknown} text
   * @returns {string}
   */
  function shown(text) {
    return String(text).replace(
      STEERING, (c) => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));
  }

  /**
   * Makes an element. Texts become text nodes: nothing is ever parsed as HTML.
   * @param {string} tag
   * @param {Object<string, unknown>} [attributes] `on…` are listeners; false and null are left out
   * @param {...(Node|string|number|null|Array)} children
   * @returns {HTMLElement}
   */
  function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === false || value === null || value === undefined || value === "") continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : String(value));
    }
    fill(node, children);
    return node;
  }

  /** Appends children, arrays of them too. */
  function fill(node, children) {
    for (const child of children) {
      if (child === null || child === undefined || child === false) continue;
      if (Array.isArray(child)) fill(node, child);
      else node.append(child instanceof Node ? child : String(child));
    }
  }

  /** Replaces what is in an element. */
  function put(node, ...children) {
    node.replaceChildren();
    fill(node, children);
  }

  /** A name that others chose: on its own, whichever way its letters run. */
  function name(text, attributes) {
    return el("bdi", attributes, shown(text));
  }

  /** A table of a head and rows of cells; the first cell of a row is its head. */
  function table(caption, columns, rows, options) {
    const { cls = "", numeric = [] } = options || {};
    const cell = (tag, content, column, scope) =>
      el(tag, { scope, class: numeric.includes(column) ? "num" : "" }, content);
    return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      el("table", { class: cls },
        el("caption", {}, el("span", {}, caption)),
        el("thead", {}, el("tr", {}, columns.map((c, i) => cell("th", c, i, "col")))),
        el("tbody", {}, rows.map((row) => el("tr", {}, row.map((c, i) =>
          i === 0 ? cell("th", c, i, "row") : cell("td", c, i)))))));
  }

  /** Puts text into the clipboard; says so, or says that it could not. */
  async function copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
      toast(`${what} copied`);
    } catch {
      toast(copyBySelection(text) ? `${what} copied` : `${what} could not be copied`);
    }
  }

  /** The older way, which works where a page from a file may not ask for the clipboard. */
  function copyBySelection(text) {
    const open = document.querySelector("dialog[open]") || document.body;
    const area = el("textarea", { class: "offscreen", "aria-hidden": "true" });
    area.value = text;
    const before = document.activeElement;
    open.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (before instanceof HTMLElement) before.focus();
    return done;
  }

  let timer = 0;

  /** A short message that a screen reader says too. */
  function toast(text) {
    const node = document.getElementById("toast");
    node.textContent = text;
    clearTimeout(timer);
    timer = setTimeout(() => { node.textContent = ""; }, 2500);
  }

  Object.assign(s, { shown, el, put, name, table, copy, toast });
})(sociolect);

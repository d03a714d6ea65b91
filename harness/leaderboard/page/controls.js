"use strict";

(function (s) {
  const { el } = s;
  const NAMES = { transform: "Errors", part: "In", level: "Level" };
  let built = { subject: "", node: null };
  let typing = 0;

  /** A choice of one of several values, kept in the address under `key`. */
  function select(key, label, options) {
    const node = el("select", {
      "data-key": `control-${key}`, name: key,
      onchange: (event) => s.state.go({ [key]: event.target.value }),
    }, options.map(([value, text]) => el("option", { value }, text)));
    return el("label", {}, `${label} `, node);
  }

  function checkbox(key, label) {
    return el("label", { class: "check" }, el("input", {
      type: "checkbox", name: key, "data-key": `control-${key}`,
      onchange: (event) => s.state.go({ [key]: event.target.checked ? "1" : "" }),
    }), ` ${label}`);
  }

  /** A filter of texts; the address follows when the typing rests, without steps to go back. */
  function search(key, label, placeholder) {
    return el("label", { class: "search" }, `${label} `, el("input", {
      type: "search", name: key, placeholder, "data-key": `control-${key}`, autocomplete: "off",
      spellcheck: "false",
      oninput: (event) => {
        clearTimeout(typing);
        const value = event.target.value;
        typing = setTimeout(() => s.state.go({ [key]: value }, true), 150);
      },
    }));
  }

  /** The filters of a subject; one with a single choice is left out. */
  function filters(subject) {
    return Object.entries(NAMES).map(([key, label]) => {
      const known = s.rows.choices(subject, key);
      const text = (value) => key === "level" ? `${value} %` : s.shown(value);
      return known.length > 1 && select(
        key, label, [["all", "all"], ...known.map((value) => [value, text(value)])]);
    });
  }

  function build(subject) {
    const sections = s.rows.sectionsOf(subject);
    const mitigated = sections.some((one) => s.all.models.get(one.model).mitigation);
    return el("form", { class: "controls", onsubmit: (event) => event.preventDefault(),
      "aria-label": "What the table shows" },
      search("q", "Models", "filter by name"),
      filters(subject),
      subject.conditions.length > 0 && select("show", "Show", [
        ["delta", "change Δ"], ["value", "value"], ["both", "value and Δ"]]),
      subject.conditions.length > 0 && checkbox("sig", "only significant"),
      mitigated && checkbox("plain", "hide mitigations"),
      sections.some((one) => one.older) && checkbox("latest", "hide older data"));
  }

  /** Sets controls to what the address says, but not the one that is typed in. */
  function update(node, values) {
    for (const control of node.querySelectorAll("select, input")) {
      const value = values[control.name];
      if (control.type === "checkbox") control.checked = value === "1";
      else if (control !== document.activeElement || control.tagName === "SELECT") {
        control.value = value;
      }
    }
  }

  /** The controls of the table, made once for a subject. */
  function controls(subject, state) {
    if (built.subject !== subject.id) built = { subject: subject.id, node: build(subject) };
    update(built.node, { ...state, ...s.rows.filters(subject, state) });
    return built.node;
  }

  s.controls = { controls, select, checkbox, search, update };
})(sociolect);

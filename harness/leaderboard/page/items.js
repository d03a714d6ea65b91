"use strict";

(function (s) {
  const { el } = s;
  let latest = 0;
  let controls = { subject: "", node: null };

  /** The condition whose items are shown: that of the address, else the first of the table. */
  function conditionOf(subject, state) {
    const known = subject.conditions.find((one) => one.id === state.condition);
    if (known || state.condition === "clean") return known || null;
    return s.rows.conditionsOf(subject, state).at(-1) || null;
  }

  function buildControls(subject) {
    return el("form", { class: "controls", onsubmit: (event) => event.preventDefault(),
      "aria-label": "Which items are shown" },
      s.controls.select("condition", "Condition", [["clean", "clean"],
        ...subject.conditions.map((one) => [one.id, s.shown(one.label)])]),
      s.controls.search("iq", "Items", "search the texts"),
      s.controls.checkbox("changed", "answers changed"));
  }

  function controlsOf(subject, state, condition) {
    if (controls.subject !== subject.id) {
      controls = { subject: subject.id, node: buildControls(subject) };
    }
    s.controls.update(controls.node, { ...state, condition: condition ? condition.id : "clean" });
    return controls.node;
  }

  /** Whether the answers of any model to an item changed. */
  function changed(item, clean, errored) {
    const [before, after] = [clean.answers[item.id] || {}, errored.answers[item.id] || {}];
    return Object.keys(after).some((id) => s.answers_of.differ(before[id], after[id]));
  }

  function chosen(content, state, clean, errored) {
    const words = state.iq.toLowerCase().split(/\s+/).filter(Boolean);
    return content.items.filter((item) => {
      const text = [item.id, item.input, item.question, ...item.options].join(" ").toLowerCase();
      return words.every((word) => text.includes(word)) &&
        !(state.changed && !changed(item, clean, errored));
    });
  }

  function listOf(items, current) {
    return el("nav", { class: "itemlist", "aria-label": "Items" }, el("ol", {}, items.map((item) =>
      el("li", {}, el("a", { href: s.state.href({ item: item.id }), "data-key": `item-${item.id}`,
        "aria-current": item === current ? "true" : null },
        el("span", { class: "itemid" }, s.shown(item.id)),
        el("span", { class: "excerpt" }, s.shown(item.input || item.question)))))));
  }

  /** One part of an item, clean and with errors side by side. */
  function part(name, item, errored) {
    const text = item[name];
    if (!text) return null;
    const edits = errored && errored.edits[item.id];
    const own = errored && errored.texts[item.id];
    if (!errored) return textBox(name, "", s.shown(text));
    if (own) {
      return [textBox(name, "clean", s.shown(text)),
        textBox(name, "with errors, marked nowhere as it was not edited word by word",
          s.shown(own[name] ?? text))];
    }
    if (!edits) return [textBox(name, "clean", s.shown(text)),
      el("p", { class: "empty" }, "This item was not asked under this condition.")];
    const ofPart = edits.filter((edit) => edit.part === name);
    if (!ofPart.length) return textBox(name, "unchanged", s.shown(text));
    const sides = s.diff.sides(text, ofPart);
    return [textBox(name, "clean", sides.clean), textBox(name, "with errors", sides.errored)];
  }

  function textBox(name, side, content) {
    const label = side ? `${name}, ${side}` : name;
    return el("div", { class: "side" }, el("h4", {}, label),
      el("p", { class: "text", "data-part": name, "data-side": side.split(",")[0] }, content));
  }

  function options(item) {
    const target = (index) => index === item.target_option;
    return el("ol", { class: "options" }, item.options.map((option, index) =>
      el("li", { class: target(index) ? "target" : "" },
        el("b", {}, s.answers_of.letter(index, 0, item.options.length), " "), s.name(option),
        index === item.gold && el("span", { class: "tag" }, "correct ✓"),
        target(index) && el("span", { class: "tag" }, "counted as biased ◆"))));
  }

  /** What was scored in the form `ll`: each option as it continues the text before it. */
  function scored(item, asked) {
    return [el("h4", {}, "Scored by log-likelihood; nothing else was asked"),
      el("ol", { class: "options" }, item.options.map((option, index) => el("li", {
        class: index === item.target_option ? "target" : "" },
      el("span", { "data-scored": index }, s.shown(asked.contexts[index] ?? ""),
        el("b", {}, s.shown(asked.continuations[index] ?? option))),
      index === item.gold && el("span", { class: "tag" }, "correct ✓"),
      index === item.target_option && el("span", { class: "tag" }, "counted as biased ◆"))))];
  }

  function detail(subject, item, clean, errored, condition) {
    const number = errored && (errored.edits[item.id] || []).length;
    const asked = ((errored || clean).prompts || {})[item.id];
    return el("article", { class: "item", "aria-labelledby": "item-title" },
      el("h2", { id: "item-title" }, s.shown(item.id),
        item.member && el("span", { class: "tag" }, s.shown(item.member))),
      !asked && el("div", { class: "sides" }, part("instruction", item, errored)),
      el("div", { class: "sides" }, part("input", item, errored)),
      errored && number > 0 && el("p", { class: "legend" }, `${number} `,
        number === 1 ? "edit: " : "edits: ", el("del", {}, "taken away"), " ",
        el("ins", {}, "put in"), " ", el("del", { class: "gap" }), " something is missing here. ",
        "Titles say of what type."),
      !asked && item.question && el("p", { class: "question" }, s.shown(item.question)),
      asked ? scored(item, asked) : options(item),
      s.answers_of.answers(subject, item, clean.answers, errored ? errored.answers : {},
        condition ? condition.label : ""));
  }

  function body(content, state, subject, clean, errored, condition) {
    const items = chosen(content, state, clean, errored || clean);
    const current = items.find((item) => item.id === state.item) ||
      content.items.find((item) => item.id === state.item) || items[0];
    const count = s.format.count;
    const gone = state.item && current && current.id !== state.item;
    const text = `${count(content.chosen)} of ${count(content.of)} ${subject.unit}s are here. ` +
      content.rule;
    return [
      gone && el("p", { class: "notice" },
        `The link names the item ${s.shown(state.item)}, which is not on this page.`),
      el("p", { class: "lead" }, s.shown(text), items.length < content.items.length &&
        ` ${count(items.length)} of their ${count(content.items.length)} texts pass the filters.`),
      current ? el("div", { class: "browser" }, listOf(items, current),
        detail(subject, current, clean, errored, condition))
        : el("p", { class: "empty" }, "No item passes the filters."),
    ];
  }

  /** Keeps the list of items where it was scrolled to, and the current one in sight. */
  function show(node, parts) {
    const old = node.querySelector(".itemlist");
    const top = old ? old.scrollTop : 0;
    s.put(node, parts);
    const list = node.querySelector(".itemlist");
    if (!list) return;
    list.scrollTop = top;
    const current = list.querySelector("[aria-current]");
    if (!current) return;
    const [box, line] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
    if (line.top < box.top || line.bottom > box.bottom) list.scrollTop += line.top - box.top;
  }

  /** The items of a subject; only the latest of several calls is shown. */
  async function items(node, subject, state) {
    const call = ++latest;
    const condition = conditionOf(subject, state);
    if (!node.firstChild) s.put(node, el("div"), el("p", { class: "loading" }, "Loading the items …"));
    try {
      const content = await s.data.items(subject.id);
      const clean = await s.data.answers(subject.id, "clean");
      const errored = condition && await s.data.answers(subject.id, condition.id);
      if (call !== latest) return;
      const form = controlsOf(subject, state, condition);
      if (!node.contains(form)) s.put(node, form, el("div", { class: "itembody" }));
      s.keepingFocus(() => show(node.querySelector(".itembody"),
        body(content, state, subject, clean, errored, condition)));
    } catch (error) {
      if (call === latest) s.put(node, el("p", { class: "notice" }, error.message));
    }
  }

  s.items_of = items;
})(sociolect);

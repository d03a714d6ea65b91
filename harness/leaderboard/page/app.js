"use strict";

(function (s) {
  const { el } = s;
  const VIEWS = { overview: "Overview", table: "Table", figures: "Figures", items: "Items",
    panels: "Analyses", about: "About" };
  const THEMES = ["system", "light", "dark"];
  const byId = (id) => document.getElementById(id);
  let before = {};

  /** Draws something anew and gives the focus back to what had it. */
  function keepingFocus(draw) {
    const key = document.activeElement && document.activeElement.dataset.key;
    const scroll = [...document.querySelectorAll(".scroll.main")].map((n) => [n.scrollLeft, n.scrollTop]);
    draw();
    document.querySelectorAll(".scroll.main").forEach((node, i) => {
      if (scroll[i]) [node.scrollLeft, node.scrollTop] = scroll[i];
    });
    if (!key || document.activeElement.dataset.key === key) return;
    const node = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
    if (node) node.focus({ preventScroll: true });
  }

  function head() {
    const { made, version, board } = s.all;
    byId("title").textContent = s.shown(board.title);
    document.title = s.shown(board.title);
    const models = board.models.length;
    s.put(byId("made"), `${models} ${models === 1 ? "model" : "models"}, ` +
      `${s.format.count(s.all.runs_shown)} runs. Made on `,
      el("time", { datetime: made }, made.replace("T", " at ").replace(/Z$/, " UTC")),
      ` with sociolect ${version}.`);
    notice(board);
    s.put(byId("subject"), board.subjects.map((one) =>
      el("option", { value: one.id }, s.format.subject(one))));
    byId("subject").addEventListener("change", (event) => s.state.go({
      subject: event.target.value, transform: "", part: "", level: "all", condition: "", item: "",
      cell: "", sort: "rank", dir: "asc" }));
  }

  /** The line that says that something was left out; it opens a list. */
  function notice({ notes, problems }) {
    const said = [
      problems.length && `${problems.length} ${problems.length === 1 ? "file was" : "files were"} left out`,
      notes.length && `${notes.length} ${notes.length === 1 ? "note" : "notes"} on how these numbers came about`,
    ].filter(Boolean);
    const node = byId("notice");
    node.hidden = !said.length;
    if (!said.length) return;
    node.classList.toggle("warn", problems.length > 0);
    node.querySelector("summary").textContent = `${said.join(", ")}.`;
    s.put(node.querySelector("ul"),
      problems.map(([path, what]) => el("li", {}, el("code", {}, s.shown(path)), ` ${s.shown(what)}`)),
      notes.map((note) => el("li", {}, s.shown(note))));
  }

  function available(subject) {
    return Object.keys(VIEWS).filter((view) =>
      view === "overview" ? s.all.board.subjects.length > 1
        : view === "table" ? subject.id
        : view === "figures" ? s.all.with_figures.includes(subject.id)
        : view === "items" ? s.all.with_items.includes(subject.id)
          : view === "panels" ? s.all.board.panels.length > 0 : true);
  }

  function navigation(state, subject) {
    byId("subject").value = subject.id;
    byId("subject").parentNode.hidden = !subject.id || state.view === "overview";
    const sorted = (view) => [view, state.view].includes("overview")
      ? { sort: "rank", dir: "asc" } : {};
    s.put(byId("views"), available(subject).map((view) => el("li", {}, el("a", {
      href: s.state.href({ view, cell: "", ...sorted(view) }), "data-key": `view-${view}`,
      "aria-current": view === state.view ? "page" : null }, VIEWS[view]))));
  }

  function tableView(main, subject, state) {
    const controls = s.controls.controls(subject, state);
    if (main.firstChild !== controls) s.put(main, controls, el("div", { id: "results" }));
    s.put(byId("results"), s.table_of(subject, state), s.versus(subject, state));
  }

  /** A part of the page for a view, made anew when the view or the subject changes. */
  function place(main, state, subject) {
    const key = state.view === "overview" ? state.view : `${state.view}~${subject.id}`;
    if (main.dataset.shows !== key) {
      main.dataset.shows = key;
      s.put(main);
      return true;
    }
    return false;
  }

  function view(state, subject) {
    const main = byId("main");
    const fresh = place(main, state, subject);
    if (state.view === "overview") s.overview(main, state, fresh);
    else if (state.view === "table") tableView(main, subject, state);
    else if (state.view === "items") s.items_of(main, subject, state);
    else if (fresh && state.view === "figures") s.figures_of.figures(main, subject);
    else if (fresh && state.view === "panels") s.put(main, s.panels());
    else if (fresh && state.view === "about") s.put(main, s.about());
  }

  /** Draws what the address says; only the drawer, if only that changed. */
  function render() {
    const state = s.state.read();
    const subject = s.rows.subjectOf(state);
    const views = available(subject);
    if (!views.includes(state.view)) state.view = views.includes("table") ? "table" : views[0];
    const { cell, ...rest } = state;
    const key = JSON.stringify(rest);
    if (before.key !== key) {
      keepingFocus(() => {
        navigation(state, subject);
        view(state, subject);
      });
      before = { key };
    } else navigation(state, subject);
    s.drawer.drawer(state);
  }

  function stored(value) {
    try {
      if (value !== undefined) localStorage.setItem("sociolect-theme", value);
      return localStorage.getItem("sociolect-theme");
    } catch {
      return value; // a browser that keeps nothing for pages from files
    }
  }

  function theme(value) {
    const chosen = THEMES.includes(value) ? value : "system";
    document.documentElement.dataset.theme = chosen;
    byId("theme").textContent = `Theme: ${chosen}`;
    s.figures_of.redraw();
  }

  function listen() {
    window.addEventListener("hashchange", render);
    s.drawer.listen();
    byId("copy-link").addEventListener("click", () => s.copy(location.href, "Link"));
    byId("theme").addEventListener("click", () => {
      const now = document.documentElement.dataset.theme;
      const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
      stored(next);
      theme(next);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", s.figures_of.redraw);
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault();
      byId("main").focus();
    });
  }

  s.keepingFocus = keepingFocus;
  theme(stored());
  if (!s.all) {
    s.put(byId("main"), el("p", { class: "notice" },
      "There is nothing to show: data/board.js cannot be read. Is the whole folder here?"));
    return;
  }
  head();
  listen();
  render();
  document.documentElement.dataset.ready = "true";
})(sociolect);

"use strict";

(function (s) {
  const loaded = new Map();
  const inbox = new Map();

  /**
   * Loads a script of this site once.
   * @param {string} src relative to the page
   * @returns {Promise<void>}
   */
  function load(src) {
    if (!loaded.has(src)) {
      loaded.set(src, new Promise((resolve, reject) => {
        const script = s.el("script", { src });
        script.addEventListener("load", () => resolve());
        script.addEventListener("error", () => {
          loaded.delete(src);
          script.remove();
          reject(new Error(`${src} cannot be read; is the whole folder of the page here?`));
        });
        document.head.append(script);
      }));
    }
    return loaded.get(src);
  }

  /** What a data file handed over, loading it first. */
  async function fetched(src, key) {
    await load(src);
    if (!inbox.has(key)) throw new Error(`${src} does not hold what its name says`);
    return inbox.get(key);
  }

  const data = {
    load,
    /** @returns {Promise<Object>} runs of a subject, by id */
    runs: (subject) => fetched(`data/runs/${subject}.js`, `runs/${subject}`),
    figures: (subject) => fetched(`data/figures/${subject}.js`, `figures/${subject}`),
    items: (subject) => fetched(`data/items/${subject}/index.js`, `items/${subject}`),
    /** Answers under one condition; the number of its file is in the index of the items. */
    answers: async (subject, condition) => {
      const { files } = await data.items(subject);
      if (!Object.hasOwn(files, condition)) return { edits: {}, texts: {}, answers: {} };
      const number = Number(files[condition]);
      return fetched(`data/items/${subject}/${number}.js`, `answers/${subject}/${condition}`);
    },
  };

  /** Maps of the board, by id. */
  function indexed(content) {
    const by = (list) => new Map(list.map((one) => [one.id, one]));
    const board = content.board;
    const versus = new Map();
    for (const one of board.versus) versus.set(`${one.section}~${one.condition}`, one);
    return {
      ...content,
      models: by(board.models),
      subjects: by(board.subjects),
      sections: by(board.sections),
      versus,
    };
  }

  Object.assign(s, {
    data,
    board: (content) => { s.all = indexed(content); },
    runs: (subject, content) => inbox.set(`runs/${subject}`, content),
    figures: (subject, content) => inbox.set(`figures/${subject}`, content),
    items: (subject, content) => inbox.set(`items/${subject}`, content),
    answers: (subject, condition, content) =>
      inbox.set(`answers/${subject}/${condition}`, content),
  });
})(sociolect);

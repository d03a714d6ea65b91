"use strict";

(function (s) {
  const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

  /** The next cell in a direction that holds a button. */
  function next(cell, [down, right]) {
    const rows = [...cell.closest("tbody").rows];
    let [row, column] = [rows.indexOf(cell.parentNode), cell.cellIndex];
    for (;;) {
      [row, column] = [row + down, column + right];
      const found = rows[row] && rows[row].cells[column];
      if (!found) return null;
      const button = found.querySelector("button:not(.missing)");
      if (button) return button;
    }
  }

  /** Arrow keys go from number to number; Tab goes through all of them as usual. */
  function arrows(event) {
    const cell = event.target instanceof HTMLButtonElement && event.target.closest("tbody > tr > *");
    const step = STEPS[event.key];
    if (!cell || !step || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const button = next(cell, step);
    if (button) button.focus();
  }

  s.arrows = arrows;
})(sociolect);

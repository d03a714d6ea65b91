"""What is shown while a sweep runs: a live table on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, Protocol

from sociolect.harness.sheets import printable
from sociolect.harness.sweeps.child import Job, Outcome
from sociolect.harness.sweeps.estimate import Estimate

if TYPE_CHECKING:
    from rich.console import Group
    from rich.live import Live

State = Literal["waiting", "running", "finished", "failed", "skipped"]
STATES: tuple[State, ...] = ("finished", "skipped", "running", "waiting", "failed")
_EVERY = 0.5


class Shown(Protocol):
    """Gets told what happens to cells."""

    def started(self, job: Job) -> None:
        """A cell runs from now on."""

    def ended(self, job: Job, outcome: Outcome, *, again: bool) -> None:
        """An attempt has ended; `again` if another follows."""

    def tick(self) -> None:
        """Time has passed."""


class Board:
    """The states of all cells.

    Attributes:
        states: By id, those that are not for this call to run as `skipped`.
        began: When a cell that runs was started, by id.
        estimate: Learns from cells that end how long the others take.
    """

    def __init__(self, jobs: Sequence[Job], skipped: Sequence[str], estimate: Estimate) -> None:
        self.states: dict[str, State] = dict.fromkeys(skipped, "skipped")
        self.states |= dict.fromkeys((job.id for job in jobs), "waiting")
        self.began: dict[str, float] = {}
        self.estimate = estimate
        self._jobs = {job.id: job for job in jobs}
        self.most_at_once = 1

    def started(self, job: Job) -> None:
        """A cell runs from now on."""
        self.states[job.id] = "running"
        self.began[job.id] = time.monotonic()
        self.most_at_once = max(self.most_at_once, len(self.began))

    def ended(self, job: Job, outcome: Outcome, *, again: bool) -> None:
        """An attempt has ended; `again` if another follows."""
        self.began.pop(job.id, None)
        state: State = "finished" if outcome.state == "finished" else "failed"
        self.states[job.id] = "waiting" if again or outcome.state == "stopped" else state
        if outcome.state == "finished":
            self.estimate.learn(job.asked, outcome.facts)

    def counts(self) -> str:
        """All states in one line."""
        found = Counter(self.states.values())
        return " · ".join(f"{found[state]} {state}" for state in STATES if found[state])

    def left(self, model: str = "") -> str:
        """Expected time until the end, from what cells of the same models took; empty if unknown.

        Args:
            model: Of these cells only, by the folder that they lie in; empty for all.
        """
        known, unknown, seconds = 0, 0, 0.0
        for name, job in self._jobs.items():
            if self.states[name] not in ("waiting", "running") or not name.startswith(model):
                continue
            expected = self.estimate.seconds(job.asked)
            if expected is None:
                unknown += 1
                continue
            known += 1
            ran = time.monotonic() - self.began[name] if name in self.began else 0.0
            seconds += max(0.0, expected - ran)
        if not seconds:
            return ""
        about = timedelta(seconds=round(seconds / self.most_at_once))
        missing = f", {unknown} not measured yet" if unknown else ""
        return f"about {about} for {known} cell{'s' * (known != 1)}{missing}"


class Lines:
    """One line an event, for a log."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def started(self, job: Job) -> None:
        """A cell runs from now on."""
        self._board.started(job)
        _say(f"{job.id}: started" + (f", attempt {job.attempt}" if job.attempt > 1 else ""))

    def ended(self, job: Job, outcome: Outcome, *, again: bool) -> None:
        """An attempt has ended; `again` if another follows."""
        took = timedelta(seconds=round(time.monotonic() - self._board.began[job.id]))
        self._board.ended(job, outcome, again=again)
        said = f" ({outcome.reason})" if outcome.reason else ""
        more = ", tried again" if again else ""
        parts = [f"{job.id}: {outcome.state} after {took}{said}{more}", self._board.counts()]
        _say(" · ".join(part for part in (*parts, self._board.left()) if part))

    def tick(self) -> None:
        """Nothing: time that passes needs no line."""


def _say(text: str) -> None:
    print(f"sociolect: {printable(text)}", file=sys.stderr, flush=True)


class Table:
    """A table that is drawn again twice a second: models by state, and the cells that run."""

    def __init__(self, board: Board, live: Live) -> None:
        self._board, self._live, self._drawn = board, live, 0.0

    def started(self, job: Job) -> None:
        """A cell runs from now on."""
        self._board.started(job)
        self._draw()

    def ended(self, job: Job, outcome: Outcome, *, again: bool) -> None:
        """An attempt has ended; `again` if another follows."""
        self._board.ended(job, outcome, again=again)
        if outcome.state == "failed":
            self._live.console.print(
                printable(f"{job.id}: failed ({outcome.reason})" + (", tried again" * again)),
                markup=False,
                highlight=False,
            )
        self._draw()

    def tick(self) -> None:
        """Draw it again if the last time is a while ago."""
        if time.monotonic() - self._drawn >= _EVERY:
            self._draw()

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        self._live.update(drawn(self._board), refresh=True)


def drawn(board: Board) -> Group:
    """The table as rich draws it; names are texts, never markup."""
    from rich.console import Group
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid("model", *STATES, "left")
    for model in dict.fromkeys(name.partition("/")[0] for name in board.states):
        found = Counter(s for name, s in board.states.items() if name.startswith(f"{model}/"))
        counts = (str(found[state] or "") for state in STATES)
        grid.add_row(Text(printable(model)), *counts, board.left(f"{model}/"))
    now = time.monotonic()
    running = [
        Text(printable(f"  {name}  {timedelta(seconds=round(now - began))}"))
        for name, began in board.began.items()
    ]
    last = " · ".join(part for part in (board.counts(), board.left()) if part)
    return Group(grid, *running, Text(last))


@contextmanager
def showing(board: Board) -> Iterator[Shown]:
    """A live table if standard error is a terminal, else lines."""
    if not sys.stderr.isatty():
        yield Lines(board)
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), auto_refresh=False) as live:
        table = Table(board, live)
        table.tick()
        yield table

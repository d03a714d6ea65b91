"""One cell in a process of its own: started, watched, stopped, and written down."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal

from sociolect.generators.errors import InvalidInputError, ResultsError
from sociolect.generators.redaction import is_secret, without_secrets, without_values
from sociolect.harness.exports import json_text, write_text
from sociolect.harness.sweeps.finished_facts import answered, facts, set_aside
from sociolect.harness.sweeps.launched import PARENT

MARKER = "finished.json"
"""In the folder of a cell, written when its run has ended well."""

FAILED = "failed.json"
"""In the folder of a cell whose last run has not."""

LOG = "log.txt"
_ERROR = "sociolect: error: "
_TAIL_LINES = 20
_TAIL_BYTES = 20_000
_POLL = 0.2
_STAGES = ((signal.SIGINT, 20.0), (signal.SIGTERM, 10.0), (signal.SIGKILL, 10.0))


@dataclass(frozen=True, slots=True)
class Job:
    """A cell as an engine gets it: plain values that can go to another machine.

    Attributes:
        id: Of the cell.
        folder: Of the cell.
        line: Arguments of `sociolect eval`.
        asked: What is written down of them.
        environment: Variables of the run.
        gpus: That it needs.
        cpus: Likewise.
        attempt: 1 for the first of this call.
    """

    id: str
    folder: Path
    line: tuple[str, ...]
    asked: Mapping[str, Any]
    environment: Mapping[str, str] = field(default_factory=dict)
    gpus: float = 0
    cpus: float = 1
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt ended.

    Attributes:
        state: `stopped` if it was ended from outside and goes on the next time.
        reason: Why it failed, in a line.
        facts: What is known of a finished one (`finished_facts.facts`).
    """

    state: Literal["finished", "failed", "stopped"]
    reason: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


def nothing() -> None:
    """What is done while a cell runs, where nothing is shown."""


def run_job(job: Job, tick: Callable[[], None] = nothing) -> Outcome:
    """Run a cell to its end and write down how it ended.

    A signal that ends this process ends the run first: with SIGINT, after 20 s with SIGTERM.

    Args:
        job: The cell.
        tick: Called every fifth of a second while it runs.

    Raises:
        InvalidInputError: Its folder cannot be written.
    """
    set_aside(job.folder)  # of an attempt that was killed
    before = answered(job.folder)
    began = time.monotonic()
    with _log(job) as log:
        start = log.tell()
        process = _started(job, log)
        try:
            code = _waited(process, tick)
        except BaseException:
            _stop(process)
            raise
        finally:
            _clear(process)
    seconds = time.monotonic() - began
    if code == 0:
        try:
            found = facts(job.folder, before, seconds)
        except ResultsError as error:
            return failed(job, str(error), code)
        _write_down(job, {"asked": job.asked, **found}, MARKER)
        (job.folder / FAILED).unlink(missing_ok=True)
        return Outcome("finished", facts=found)
    return failed(job, _reason(code), code, _tail(job, start))


def failed(job: Job, reason: str, code: int | None = None, tail: Sequence[str] = ()) -> Outcome:
    """Write down that a cell failed."""
    if tail:
        said = [line for line in tail if line.startswith(_ERROR)] or tail
        reason = f"{reason}: {said[-1].removeprefix(_ERROR)}"
    reason = _without_secrets(reason)
    content = {
        "asked": job.asked,
        "reason": reason,
        "exit_code": code,
        "attempt": job.attempt,
        "log": list(tail),
        "ended": _now(),
    }
    _write_down(job, content, FAILED)
    return Outcome("failed", reason)


def _write_down(job: Job, content: Mapping[str, Any], name: str) -> None:
    """Write how a cell ended.

    Raises:
        InvalidInputError: It cannot be written, as on a full disk.
    """
    try:
        job.folder.mkdir(parents=True, exist_ok=True)
        if name == FAILED:
            set_aside(job.folder)
        write_text(json_text(content), job.folder / name)
    except (InvalidInputError, OSError) as error:
        raise InvalidInputError(
            f"{job.id}: how it ended cannot be written down ({error}). Free the disk, or name "
            "another --out; the same command goes on, with the answers that are kept"
        ) from error


def _log(job: Job) -> BinaryIO:
    """The log of a cell, open at its end, with a line for the attempt."""
    try:
        job.folder.mkdir(parents=True, exist_ok=True)
        log = (job.folder / LOG).open("ab", buffering=0)
        log.write(f"== attempt {job.attempt}, {_now()}\n".encode())
    except OSError as error:
        raise InvalidInputError(
            f"{job.folder}: cannot be written ({error.strerror}); free it, or name another --out"
        ) from error
    return log


def command(job: Job) -> list[str]:
    """The command line of a cell."""
    return [sys.executable, "-m", "sociolect.harness.sweeps.launched", "eval", *job.line]


def _started(job: Job, log: BinaryIO) -> subprocess.Popen[bytes]:
    """The process: in a session of its own, so that only we pass on what a terminal signals."""
    return subprocess.Popen(
        command(job),
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        env={
            **os.environ,
            **job.environment,
            "PYTHONUNBUFFERED": "1",
            PARENT: str(os.getpid()),
        },
        start_new_session=True,
    )


def _waited(process: subprocess.Popen[bytes], tick: Callable[[], None]) -> int:
    while True:
        try:
            return process.wait(_POLL)
        except subprocess.TimeoutExpired:
            tick()


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a run and what it started; another signal meanwhile goes on to the next stage."""
    for number, patience in _STAGES:
        if process.poll() is not None:
            break
        try:
            os.killpg(process.pid, number)
            process.wait(patience)
        except (subprocess.TimeoutExpired, KeyboardInterrupt, SystemExit):
            continue
        except ProcessLookupError:
            break


def _clear(process: subprocess.Popen[bytes]) -> None:
    """End what a run has started and left behind, such as workers of an engine that hold a GPU."""
    with suppress(ProcessLookupError, PermissionError):  # nothing is left
        os.killpg(process.pid, signal.SIGKILL)


def _reason(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    name = signal.Signals(-code).name if -code in list(signal.Signals) else f"signal {-code}"
    return f"killed by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")


def _tail(job: Job, start: int) -> list[str]:
    """The last lines of the log of an attempt, without secrets."""
    with (job.folder / LOG).open("rb") as log:
        log.seek(max(start, log.seek(0, os.SEEK_END) - _TAIL_BYTES))
        text = log.read().decode("utf-8", "replace")
    # A progress bar writes over its line.
    lines = [line.rstrip().rpartition("\r")[2] for line in _without_secrets(text).split("\n")]
    return [line for line in lines if line][-_TAIL_LINES:]


def _without_secrets(text: str) -> str:
    """A text without tokens and passwords, those of the environment as well."""
    values = frozenset(v for k, v in os.environ.items() if is_secret(k) and v)
    return without_secrets(without_values(text, values))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

"""Reading a folder of results in processes; calls that are killed, and two at once."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from sociolect.harness.store.index import read_store
from sociolect.harness.store.stored import Store

Write = Callable[..., Path]


def read(root: Path, **options: object) -> Store:
    return read_store(root, progress=False, **options)  # type: ignore[arg-type]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


_SCRIPT = """
import sys, time
from pathlib import Path
from sociolect.harness.store import index, reading

whole = reading.read_entry
done = 0

def slow(root, found, kept):
    global done
    if done == 2:
        print("two", flush=True)
        time.sleep(60)
    done += 1
    return whole(root, found, kept)

index.read_entry = slow
index.read_store(Path(sys.argv[1]), progress=False)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_the_next_call_goes_on_after_a_kill(write_run: Write, out: Path, how: int) -> None:
    for number in range(4):
        write_run(out / str(number), pairs=2 + number)
    with subprocess.Popen(
        [sys.executable, "-c", _SCRIPT, str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "two\n"
        process.send_signal(how)
        process.wait(30)
    (out / f".sociolect-index/runs/.{'a' * 16}-1-2.part").write_text("unfinished")
    store = read(out)
    assert (store.read, len(store.runs)) == (2, 4)
    assert sorted(p.suffix for p in (store.index / "runs").iterdir()) == [".parquet"] * 4


def test_two_at_once(write_run: Write, out: Path) -> None:
    for number in range(4):
        write_run(out / str(number), pairs=2 + number)
    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(lambda _: read(out), range(2))
    assert one.runs == other.runs
    assert sorted((one.read, other.read)) == [0, 4]


@pytest.mark.slow
def test_in_processes(write_run: Write, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        write_run(out / str(number), pairs=2 + number)
    broken = write_run(out / "x", pairs=2, form="ll")
    broken.write_text("{", "utf-8")
    monkeypatch.setattr("sociolect.harness.store.index._WORTH_PROCESSES", 0)
    several = read(out, processes=2, index=out.parent / "a")
    monkeypatch.undo()
    alone = read(out, processes=1, index=out.parent / "b")
    assert replace(several, index=out.parent / "b") == alone
    assert len(several.problems) == 1


_NO_GUARD = """
import sys
from pathlib import Path
from sociolect.harness.store import index

index._WORTH_PROCESSES = 0
store = index.read_store(Path(sys.argv[1]), processes=2, progress=False)
print(len(store.runs), store.read)
"""


@pytest.mark.slow
def test_a_script_that_every_worker_runs_again(write_run: Write, out: Path) -> None:
    for number in range(3):
        write_run(out / str(number), pairs=2 + number)
    script = out.parent / "script.py"
    script.write_text(_NO_GUARD)
    command = [sys.executable, str(script), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=True)
    assert done.stdout == "3 3\n"
    assert "__name__ == '__main__'" in done.stderr
    assert "going on alone" in done.stderr

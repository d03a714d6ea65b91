from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from scripted_cells import RESULTS

from sociolect.generators.errors import InvalidInputError
from sociolect.harness import run_folders
from sociolect.harness.sweeps import child, finished_facts
from sociolect.harness.sweeps.child import FAILED, LOG, MARKER, Job, run_job
from sociolect.harness.sweeps.launched import PARENT

ASKED = {"tasks": ["winobias_clean_ll"]}


def job(folder: Path, **values: object) -> Job:
    return Job("one/t", folder / "one" / "t", ("--tasks", "t"), ASKED, **values)  # type: ignore[arg-type]


def read(path: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(path.read_text())
    return found


def test_a_cell_that_ends_well_says_what_it_was(tmp_path, scripted):
    scripted(RESULTS + "print('done')")
    (tmp_path / "one" / "t").mkdir(parents=True)
    (tmp_path / "one" / "t" / FAILED).write_text("{}")  # of an earlier attempt
    one = job(tmp_path, environment={"A": "b"})
    outcome = run_job(one)
    assert outcome.state == "finished"
    held = read(one.folder / MARKER)
    assert held["asked"] == ASKED
    assert held["documents"] == {"winobias_clean_ll": 4}
    assert held["data"] == {"winobias_clean_ll": "ab"}
    assert held["files"] == ["run/results_2026-01-01T00-00-00.json"]
    assert held["packages"] == {"torch": "2"}
    assert 0 < outcome.facts["seconds"] < 10
    assert "prompts" not in held  # no answers were kept
    assert not (one.folder / FAILED).exists()
    assert (one.folder / LOG).read_text().endswith("done\n")


def test_prompts_and_seconds_are_those_of_the_attempt(tmp_path, scripted):
    chunk = (
        "kept = folder / 'answers' / 'key'; kept.mkdir(parents=True, exist_ok=True)\n"
        "(kept / f't-0000{sys.argv[3]}-0123456789abcdef.jsonl').write_text(json.dumps("
        "{'prompts': 10, 'tokens': 70, 'seconds': 0.01 * int(sys.argv[3])}) + '\\n')\n"
    )
    scripted(RESULTS + chunk)
    run_job(job(tmp_path))
    facts = run_job(job(tmp_path, attempt=2)).facts
    assert (facts["prompts"], facts["prompts_of_attempt"]) == (20, 10)
    assert (facts["tokens"], facts["tokens_of_attempt"]) == (140, 70)
    assert facts["answering_seconds"] == 0.02
    assert facts["other_seconds"] == pytest.approx(facts["seconds"] - 0.02, abs=1e-3)


def test_answers_are_looked_for_where_runs_keep_them():
    assert finished_facts.ANSWERS == run_folders.ANSWERS


def test_a_failure_is_kept_with_the_end_of_its_log(tmp_path, scripted, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sesame-open")
    scripted(
        "import sys\n"
        "for n in range(30): print('line', n)\n"
        "print('key sesame-open, hf_abcdefghijk', flush=True)\n"
        "print('sociolect: error: no such model')\n"
        "print('0%\\r50%\\r100%')\n"
        "sys.exit(2)"
    )
    one = job(tmp_path, attempt=2)
    outcome = run_job(one)
    assert outcome.state == "failed"
    assert outcome.reason == "exit code 2: no such model"
    held = read(one.folder / FAILED)
    assert (held["exit_code"], held["attempt"], held["asked"]) == (2, 2, ASKED)
    log = held["log"]
    assert isinstance(log, list)
    assert len(log) == 20
    assert log[-3:] == ["key ***, ***", "sociolect: error: no such model", "100%"]
    assert not (one.folder / MARKER).exists()


def test_a_killed_run_and_one_without_results_have_failed(tmp_path, scripted):
    scripted("import os; os.kill(os.getpid(), 9)")
    assert run_job(job(tmp_path)).reason.startswith("killed by SIGKILL (out of memory?)")
    scripted("pass")
    assert run_job(job(tmp_path)).reason.endswith("left no results")


def test_what_a_run_leaves_behind_is_ended(tmp_path, scripted):
    scripted(
        RESULTS + "import subprocess\n"
        "other = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "(folder / 'left').write_text(str(other.pid))"
    )
    one = job(tmp_path)
    assert run_job(one).state == "finished"
    assert ends(int((one.folder / "run" / "left").read_text()))


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_a_run_is_stopped_with_what_it_started(tmp_path, scripted, error):
    scripted(
        "import pathlib, signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # as `launched` does
        "other = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], "
        "stderr=subprocess.DEVNULL)\n"
        "path = pathlib.Path(sys.argv[1]) / 'started'\n"
        "try:\n    path.with_suffix('.part').write_text(str(other.pid))\n"
        "    path.with_suffix('.part').rename(path); time.sleep(60)\n"
        "except KeyboardInterrupt:\n    print('interrupted'); sys.exit(1)"
    )
    one = job(tmp_path)

    def tick() -> None:
        if (one.folder / "started").exists():
            raise error

    with pytest.raises(error):
        run_job(one, tick)
    assert (one.folder / LOG).read_text().endswith("interrupted\n")
    assert not (one.folder / FAILED).exists()  # it has not failed, it goes on the next time
    assert ends(int((one.folder / "started").read_text()))


def test_a_run_that_ignores_ctrl_c_is_ended(tmp_path, scripted, monkeypatch):
    monkeypatch.setattr(child, "_STAGES", ((signal.SIGINT, 0.3), (signal.SIGTERM, 5.0)))
    scripted(
        "import pathlib, signal, sys, time\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "(pathlib.Path(sys.argv[1]) / 'started').touch(); time.sleep(60)"
    )
    one = job(tmp_path)

    def tick() -> None:
        if (one.folder / "started").exists():
            raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_job(one, tick)
    assert time.monotonic() - began < 5


LAUNCHED = """
import sys, time
from sociolect.harness.sweeps import launched
sys.modules["sociolect.harness.cli"] = sys.modules["time"]
import sociolect.harness
sociolect.harness.cli = time
time.main = lambda: (print("up", flush=True), time.sleep(60))
launched._EVERY = 0.05
launched.main()
"""


def test_a_run_ends_with_the_process_that_started_it():
    starter = (
        "import os, subprocess, sys, time\n"
        f"env = {{**os.environ, {PARENT!r}: str(os.getpid())}}\n"
        "run = subprocess.Popen([sys.executable, '-c', sys.argv[1]], env=env, "
        "stdout=subprocess.PIPE, start_new_session=True)\n"
        "run.stdout.readline(); print(run.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", starter, LAUNCHED], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        assert is_alive(pid)
        process.kill()
    assert ends(pid)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that nobody waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def ends(pid: int) -> bool:
    """Whether a process ends within five seconds."""
    until = time.monotonic() + 5
    while is_alive(pid) and time.monotonic() < until:
        time.sleep(0.02)
    return not is_alive(pid)


def test_secrets_are_in_no_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "abc-secret-value")
    outcome = child.failed(job(tmp_path), "cannot be read: abc-secret-value")
    assert "abc-secret-value" not in outcome.reason
    assert "abc-secret-value" not in (tmp_path / "one" / "t" / FAILED).read_text()


def test_a_full_disk_at_the_end_of_a_cell_is_told(tmp_path, scripted, monkeypatch):
    scripted(RESULTS)

    def full(text: str, path: Path) -> None:
        raise InvalidInputError(f"{path}: cannot be written (No space left on device)")

    monkeypatch.setattr(child, "write_text", full)
    with pytest.raises(InvalidInputError, match=r"one/t: how it ended .*No space left.*goes on"):
        run_job(job(tmp_path))
    assert not (tmp_path / "one" / "t" / MARKER).exists()


def test_results_of_a_failed_attempt_are_no_results(tmp_path, scripted):
    scripted(RESULTS + "import sys\nsys.exit(3)")
    one = job(tmp_path)
    assert run_job(one).reason.startswith("exit code 3")
    assert not list(one.folder.glob("[!.]*/**/results_*.json"))
    (kept,) = one.folder.glob(".unfinished/run/results_*.json")
    assert kept.is_file()
    scripted("print('nothing')")
    assert run_job(one).reason.endswith("left no results")
    assert not (one.folder / MARKER).exists()


@pytest.mark.parametrize("counts", [{"a": {"original": 1}}, [1], {}, {"a": 3}])
def test_odd_results_are_a_failure_of_their_cell(tmp_path, scripted, counts):
    scripted(
        RESULTS
        + "path = next(folder.rglob('results_*.json'))\n"
        + f"path.write_text(json.dumps({{'n-samples': {counts!r}}}))"
    )
    outcome = run_job(job(tmp_path))
    assert (outcome.state, "of the run" in outcome.reason) == ("failed", True)

"""Folders that are complete or not there, also after a process was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sociolect.generators.errors import InvalidInputError
from sociolect.generators.folders import finished_folder

HOLD = """
import sys, time
from pathlib import Path
from sociolect.generators.folders import finished_folder
with finished_folder(Path(sys.argv[1])) as folder:
    (folder / "half").write_text("x")
    print("ready", flush=True)
    time.sleep(60)
"""


def partial_folders(parent: Path) -> list[Path]:
    return list(parent.glob(".*.partial"))


def held(target: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(target)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_what_a_killed_process_left_goes_with_the_next_one(tmp_path):
    process = held(tmp_path / "out")
    process.kill()
    process.wait()
    assert len(partial_folders(tmp_path)) == 1
    assert not (tmp_path / "out").exists()
    with finished_folder(tmp_path / "out") as folder:
        assert partial_folders(tmp_path) == [folder]
    assert partial_folders(tmp_path) == []
    assert (tmp_path / "out").is_dir()


def test_work_in_progress_and_other_names_are_left_alone(tmp_path):
    process = held(tmp_path / "out")
    try:
        other = tmp_path / ".another.host-1.xyz.partial"
        other.mkdir()
        with finished_folder(tmp_path / "out") as folder:
            assert len(partial_folders(tmp_path)) == 3
            assert folder.is_dir()
        assert len(partial_folders(tmp_path)) == 2
    finally:
        process.kill()
        process.wait()


def test_a_loop_of_links_is_refused(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(InvalidInputError, match="name another folder"):
        finished_folder(tmp_path / "a").__enter__()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_terminated_build_leaves_only_what_the_next_one_takes_up(tmp_path, workers):
    command = [sys.executable, "-m", "sociolect.harness.cli", "build", "occupations_mini"]
    options = ["--transform", "l2,l2det,l2prep,l2spell", "--part", "both", "--level", "5,10,20"]
    options += ["--workers", str(workers)]
    process = subprocess.Popen(
        [*command, *options, "--out", str(tmp_path / "out")],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".out.*.unfinished/*-*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(tmp_path.glob(".out.*.unfinished/*-*.json")), "the build never began"
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 128 + signal.SIGTERM
    assert [path.suffix for path in tmp_path.iterdir()] == [".unfinished"]
    deadline = time.monotonic() + 30
    while _group_is_alive(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not _group_is_alive(process.pid), "a worker outlived its parent"


@pytest.mark.slow
def test_a_killed_worker_ends_the_build_with_a_message(tmp_path):
    command = [sys.executable, "-m", "sociolect.harness.cli", "build", "occupations_mini"]
    options = ["--transform", "l2,l2det,l2prep,l2spell", "--part", "both", "--workers", "2"]
    options += ["--skip-unreachable"]
    process = subprocess.Popen(
        [*command, *options, "--out", str(tmp_path / "out")], stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".out.*.unfinished/*-*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(_workers_of(process.pid)[0], signal.SIGKILL)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "a worker process was killed" in errors
    assert "Traceback" not in errors


@pytest.mark.slow
def test_workers_end_with_a_parent_that_was_killed(tmp_path):
    command = [sys.executable, "-m", "sociolect.harness.cli", "build", "occupations_mini"]
    options = ["--transform", "l2,l2det,l2prep,l2spell", "--part", "both", "--workers", "2"]
    process = subprocess.Popen(
        [*command, *options, "--skip-unreachable", "--out", str(tmp_path / "out")],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".out.*.unfinished/*-*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.kill()
    process.wait()
    deadline = time.monotonic() + 30
    while _group_is_alive(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not _group_is_alive(process.pid), "a worker outlived its parent"


def _workers_of(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    commands = {int(c): Path(f"/proc/{c}/cmdline").read_bytes() for c in children}
    return [child for child, command in commands.items() if b"spawn_main" in command]


def _group_is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True

"""Published to git, served over HTTP as the Hub would, and read back by its users' tools.

Olah (PyPI `olah`) serves local git repositories with the Hub's API. It needs an environment of its
own; `SOCIOLECT_OLAH` names its executable `olah-cli`.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sociolect.generators.build import build
from sociolect.generators.conditions import Condition
from sociolect.generators.dialect.build import build as build_pairs
from sociolect.generators.dialect.folder import read_folder
from sociolect.generators.dialect.pair_files import pair_file
from sociolect.generators.dialect.pairs import DialectPair
from sociolect.generators.manifest import read_manifest
from sociolect.generators.publish import publish

NAME = "org/occupations-mini-variants"
PAIRS = "org/aae-variants"
SETTINGS = """\
[basic]
host = "127.0.0.1"
port = {port}
repos-path = "{folder}/cache"
mirrors-path = ["{folder}/served"]

[accessibility]
offline = true
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
    pytest.mark.skipif(
        shutil.which(os.environ.get("SOCIOLECT_OLAH", "")) is None,
        reason="SOCIOLECT_OLAH names no olah-cli",
    ),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is served, under `served`, beside the build that it was made from."""
    folder = tmp_path_factory.mktemp("olah")
    build("occupations_mini", [Condition("l2", 30)], out=folder / "built")
    to_git = folder / "served/datasets" / NAME
    publish(folder / "built", repo=NAME, version="1.0.0", to_git=to_git)
    _publish_pairs(folder)
    return folder


def _publish_pairs(folder: Path) -> None:
    sides = ("He be working late", "He usually works late"), ("She been knew", "She has known")
    pairs = [DialectPair(f"p{n}", *two) for n, two in enumerate(sides)]
    file = pair_file([(p.id, p) for p in pairs], (), "mine")
    build_pairs(file, folder / "pairs", sizes=None, licence="CC0-1.0")
    to_git = folder / "served/datasets" / PAIRS
    publish(folder / "pairs", repo=PAIRS, version="1.0.0", to_git=to_git)


@pytest.fixture(scope="module")
def endpoint(folder: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "olah.toml").write_text(SETTINGS.format(port=port, folder=folder))
    with (folder / "olah.log").open("w") as log:
        server = subprocess.Popen(
            [os.environ["SOCIOLECT_OLAH"], "--config", "olah.toml", "--log-path", "logs"],
            cwd=folder,
            stdout=log,
            stderr=log,
        )
    try:
        _wait(f"http://127.0.0.1:{port}/api/datasets/{NAME}/refs", server, folder / "olah.log")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


def _wait(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.3)
    pytest.fail(f"olah does not answer: {log.read_text()[-2000:]}")


@pytest.fixture
def run(endpoint: str, tmp_path: Path) -> Callable[..., str]:
    """A fresh user: no cache, no data, no sources."""

    def of(*arguments: str) -> str:
        environment = os.environ | {
            "HF_ENDPOINT": endpoint,
            "HF_HOME": str(tmp_path / "hf"),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "HF_HUB_OFFLINE": "0",
            "SOCIOLECT_HUB": "org",
        }
        for name in ("SOCIOLECT_DATA", "SOCIOLECT_SOURCES"):
            environment.pop(name, None)
        done = subprocess.run(
            [sys.executable, *arguments],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return of


def test_load_dataset(run: Callable[..., str], folder: Path) -> None:
    code = (
        "import json, datasets; from sociolect.generators.rows import config_sha256\n"
        f"names = datasets.get_dataset_config_names({NAME!r}, revision='v1.0.0')\n"
        f"rows = datasets.load_dataset({NAME!r}, 'l2-30', revision='v1.0.0')['test']\n"
        "print(json.dumps([names, rows.num_rows, config_sha256(rows)]))"
    )
    names, number, digest = json.loads(run("-c", code).splitlines()[-1])
    entry = read_manifest(folder / "built")["configs"]["l2-30"]
    assert names == ["clean", "l2-30"]
    assert (number, digest) == (128, entry["sha256"])


def test_tasks_find_it(run: Callable[..., str], tmp_path: Path) -> None:
    task = "occupations_mini_l2_30"
    arguments = ("--model", "dummy", "--tasks", task, "--limit", "4", "--output_path", "out")
    shown = run("-m", "sociolect.harness.cli", "eval", *arguments, "--log_samples")
    assert task in shown
    (samples,) = (tmp_path / "out").rglob("samples_*.jsonl")
    documents = [json.loads(line)["doc"] for line in samples.read_text("utf-8").splitlines()]
    assert {doc["level"] for doc in documents} == {30}
    assert {doc["data_version"] for doc in documents} == {"1.0.0"}
    assert not (tmp_path / "cache/sociolect").exists()  # nothing was built here


def test_dialect_pairs(run: Callable[..., str], folder: Path) -> None:
    code = (
        "import json, datasets\n"
        f"rows = datasets.load_dataset({PAIRS!r}, 'pairs', revision='v1.0.0')['test']\n"
        "print(json.dumps(rows.to_list()))"
    )
    rows = json.loads(run("-c", code).splitlines()[-1])
    assert rows == [dict(row) for row in read_folder(folder / "pairs").rows]
    shown = run("-m", "sociolect.harness.cli", "verify", f"{PAIRS}@v1.0.0")
    assert "2 rows" in shown
    assert "sound" in shown

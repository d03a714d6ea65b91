"""`sociolect publish` on the command line."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hub_stand_in as stand_in
import pytest
import typer
from typer.testing import CliRunner, Result

from sociolect.generators.build import build
from sociolect.generators.conditions import Condition
from sociolect.generators.release import PublishError
from sociolect.harness.commands.publish import publish
from sociolect.harness.commands.validate import validate

REPO = "org/occupations-mini-variants"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("build") / "mini"
    build("occupations_mini", [Condition("l2", 10)], out=out)
    return out


@pytest.fixture
def run(built: Path) -> Callable[..., Result]:
    app = typer.Typer()
    app.command()(publish)

    def of(
        *arguments: str, version: str = "1.0.0", repo: str = REPO, folder: Path = built
    ) -> Result:
        options = ["--repo", repo, "--version", version]
        return CliRunner().invoke(app, [str(folder), *options, *arguments])

    return of


def test_a_dry_run_says_what_would_be_sent(run: Callable[..., Result], tmp_path: Path) -> None:
    done = run("--dry-run", "--keep", str(tmp_path / "kept"))
    assert done.exit_code == 0
    files = [line.split()[-1] for line in done.stdout.splitlines()[:4]]
    assert files == [
        *("README.md", "manifest.json"),
        *("clean/test-00000-of-00001.parquet", "l2-10/test-00000-of-00001.parquet"),
    ]
    sizes = [(tmp_path / "kept" / name).stat().st_size for name in files]
    assert done.stdout.splitlines()[0].split()[0] == f"{sizes[0]:,}"
    assert f"4 files, {sum(sizes):,} bytes would go to {REPO}, tag v1.0.0. Nothing was sent." in (
        done.stdout
    )
    assert f"The release is kept in {tmp_path / 'kept'}." in done.stdout


def test_the_hub(run: Callable[..., Result], hub: Any) -> None:
    done = run()
    assert done.exit_code == 0, done.exception
    head = hub.repositories[REPO].head.oid
    assert f"as {REPO} v1.0.0: {hub.url}/datasets/{REPO}/tree/v1.0.0" in done.stdout
    assert f"Commit {head}." in done.stdout
    assert "SOCIOLECT_HUB=org sociolect eval" in done.stdout
    assert stand_in.TOKEN not in done.output
    again = run()
    assert again.exit_code == 1
    assert isinstance(again.exception, PublishError)


def test_another_name_is_what_the_tasks_must_be_told(run: Callable[..., Result], hub: Any) -> None:
    assert "SOCIOLECT_HUB=org/mine sociolect eval" in run(repo="org/mine").stdout


def test_a_pull_request(run: Callable[..., Result], hub: Any) -> None:
    hub.make(REPO)
    done = run("--create-pr")
    assert f"{hub.url}/datasets/{REPO}/discussions/1" in done.stdout
    assert "A pull request has no tag" in done.stdout


@pytest.mark.skipif(importlib.util.find_spec("errant") is None, reason="ERRANT is not installed")
def test_what_validate_wrote_is_in_the_card(
    run: Callable[..., Result], built: Path, tmp_path: Path
) -> None:
    app = typer.Typer()
    app.command()(validate)
    copy = shutil.copytree(built, tmp_path / "copy")
    done = CliRunner().invoke(app, [str(copy), "--config", "l2-10", "--write"])
    assert done.exit_code == 0, done.exception
    run("--dry-run", "--keep", str(tmp_path / "kept"), folder=copy)
    text = (tmp_path / "kept/README.md").read_text("utf-8")
    section = text.partition("## Realism\n")[2].partition("\n## ")[0]
    found = json.loads((copy / "realism.json").read_text("utf-8"))
    assert "of `l2-10`, as ERRANT" in section
    assert f"{found['reference']}. The total variation" in section
    assert f"is {found['total_variation']:.3f}\n" in section
    rows = [line for line in section.splitlines() if line.startswith("| ")][2:]
    assert rows == [
        f"| {t['type']} | {100 * t['ours']:.1f} % | {100 * t['reference']:.1f} % |"
        for t in found["per_type"]
    ]
    assert len(rows) > 5


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_git_repository(run: Callable[..., Result], tmp_path: Path) -> None:
    done = run("--to-git", str(tmp_path / "repo"))
    assert done.exit_code == 0, done.exception
    assert f"v1.0.0: {tmp_path / 'repo'}" in done.stdout
    assert "SOCIOLECT_HUB" not in done.stdout


def test_no_option_takes_a_token(run: Callable[..., Result]) -> None:
    assert run("--token", "x").exit_code == 2
    assert "HF_TOKEN" in run("--help").stdout


@pytest.mark.slow
def test_an_error_is_one_message_and_an_exit_code(built: Path) -> None:
    """A process of its own, so that nothing of the traceback or the token can get out unseen."""
    with stand_in.running() as hub:
        hub.may_write = False
        code = (
            "import sys; from sociolect.harness.commands.publish import publish\n"
            "import typer; app = typer.Typer(pretty_exceptions_enable=False)\n"
            "app.command()(publish)\n"
            "from sociolect.generators.errors import SociolectError\n"
            "try: app()\n"
            "except SociolectError as e: print(e, file=sys.stderr); sys.exit(e.exit_code)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, built, "--repo", REPO, "--version", "1.0.0"],
            env=os.environ
            | {"HF_ENDPOINT": hub.url, "HF_HUB_OFFLINE": "0", "HF_TOKEN": stand_in.TOKEN},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith(f"the token may not write to {REPO}; make one with write access")
    assert stand_in.TOKEN not in done.stdout + done.stderr

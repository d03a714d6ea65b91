"""Publishing into a local git repository: one commit and one tag, or nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from sociolect.generators.build import build
from sociolect.generators.conditions import Condition
from sociolect.generators.errors import InvalidInputError, MissingToolError
from sociolect.generators.publish import Published, publish
from sociolect.generators.release import PublishError

FILES = ["README.md", *(f"{c}/test-00000-of-00001.parquet" for c in ("clean", "l2-10"))]

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("build") / "mini"
    build("occupations_mini", [Condition("l2", 10)], out=out)
    return out


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A git that knows no user and has no settings."""
    for name in [n for n in os.environ if n.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def send(built: Path, tmp_path: Path) -> Callable[..., Published]:
    def run(path: Path = tmp_path / "repo", **options: object) -> Published:
        arguments = {"repo": "org/x", "version": "1.0.0", "to_git": path, **options}
        return publish(built, **arguments)  # type: ignore[arg-type]

    return run


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@t", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "-c", "init.defaultBranch=trunk", "init", "-q")
    (folder / "LICENSE").write_text("mine\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


def test_a_new_repository(send: Callable[..., Published], tmp_path: Path, built: Path) -> None:
    done = send(tmp_path / "datasets/org/x")
    folder = tmp_path / "datasets/org/x"
    assert git(folder, "log", "--format=%H %an %s") == (
        f"{git(folder, 'rev-parse', 'v1.0.0')} sociolect occupations_mini 1.0.0, sociolect 0.1.0"
    )
    assert git(folder, "ls-files").split() == sorted([*FILES, "manifest.json"])
    assert git(folder, "status", "--porcelain") == ""
    assert git(folder, "symbolic-ref", "HEAD") == "refs/heads/main"
    assert (folder / FILES[2]).read_bytes() == (built / FILES[2]).read_bytes()
    assert done.sent is not None
    assert done.sent.tagged
    assert [p.name for p in folder.parent.iterdir()] == ["x"]


def test_an_existing_repository_keeps_its_files_and_its_branch(
    send: Callable[..., Published], repository: Path
) -> None:
    stale = repository / "l2-99/test-00000-of-00001.parquet"
    stale.parent.mkdir()
    stale.write_text("old")
    (repository / "README.md").write_text("mine")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "second")
    send(repository)
    assert git(repository, "log", "--format=%s").splitlines()[1:] == ["second", "first"]
    assert git(repository, "symbolic-ref", "HEAD") == "refs/heads/trunk"
    assert git(repository, "rev-parse", "v1.0.0") == git(repository, "rev-parse", "trunk")
    assert git(repository, "status", "--porcelain") == ""
    assert (repository / "LICENSE").read_text() == "mine\n"
    assert (repository / "README.md").read_text().startswith("---\npretty_name")
    assert not stale.exists()


def test_an_empty_repository(send: Callable[..., Published], tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "repo")
    send()
    assert git(tmp_path / "repo", "tag") == "v1.0.0"
    assert git(tmp_path / "repo", "status", "--porcelain") == ""


def test_a_version_is_published_once(send: Callable[..., Published], tmp_path: Path) -> None:
    send()
    head = git(tmp_path / "repo", "rev-parse", "HEAD")
    with pytest.raises(PublishError, match=r"has the tag v1\.0\.0 already"):
        send()
    git(tmp_path / "repo", "tag", "-d", "v1.0.0")
    send()  # the same files: only the tag is missing
    assert git(tmp_path / "repo", "rev-parse", "HEAD", "v1.0.0").split() == [head, head]


def test_earlier_versions_are_in_the_table(
    send: Callable[..., Published], repository: Path, built: Path
) -> None:
    text = (built / "manifest.json").read_text("utf-8").replace('"0.1.0"', '"0.0.7"')
    (repository / "manifest.json").write_text(text)
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "old")
    git(repository, "tag", "-a", "v0.10.0", "-m", "annotated")
    git(repository, "tag", "v0.9.0", "HEAD~1")
    send(repository)
    lines = (repository / "README.md").read_text("utf-8").splitlines()
    rows = [line.split(" | ")[:2] for line in lines if line.startswith(("| 1.0.0", "| 0."))]
    assert rows == [["| 1.0.0", "0.1.0"], ["| 0.10.0", "0.0.7"]]


@pytest.mark.parametrize("tracked", [True, False])
def test_a_repository_with_changes_is_refused(
    send: Callable[..., Published], repository: Path, tracked: bool
) -> None:
    (repository / ("LICENSE" if tracked else "new")).write_text("changed")
    with pytest.raises(PublishError, match="has changes that are not committed"):
        send(repository)
    assert git(repository, "tag") == ""


def test_what_is_no_repository_is_refused(send: Callable[..., Published], tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/thing").write_text("x")
    with pytest.raises(PublishError, match="not the top folder of a git repository"):
        send(tmp_path / "full")
    with pytest.raises(PublishError, match="is a file"):
        send(tmp_path / "full/thing")


def test_a_folder_inside_a_repository_is_not_that_repository(
    send: Callable[..., Published], repository: Path
) -> None:
    inside = repository / "data"
    inside.mkdir()
    (inside / "x").write_text("x")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "second")
    with pytest.raises(PublishError, match="not the top folder"):
        send(inside)


def test_a_detached_head_is_refused(send: Callable[..., Published], repository: Path) -> None:
    git(repository, "checkout", "-q", "--detach")
    with pytest.raises(PublishError, match="no branch checked out"):
        send(repository)


def test_lfs_is_refused(send: Callable[..., Published], repository: Path) -> None:
    (repository / ".gitattributes").write_text("*.parquet filter=lfs diff=lfs merge=lfs -text\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "second")
    with pytest.raises(PublishError, match="keeps parquet files in LFS"):
        send(repository)


def test_ignore_rules_and_line_ends_of_the_user_do_not_apply(
    send: Callable[..., Published], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ignored").write_text("*.parquet\nmanifest.json\n")
    (tmp_path / "config").write_text(
        f"[core]\n excludesFile = {tmp_path / 'ignored'}\n autocrlf = true\n"
        "[user]\n name = Someone\n[commit]\n gpgsign = true\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    send()
    assert len(git(tmp_path / "repo", "ls-files").split()) == 4
    assert b"\r\n" not in subprocess.check_output(
        ["git", "-C", tmp_path / "repo", "show", "HEAD:README.md"]
    )
    assert git(tmp_path / "repo", "log", "--format=%an <%ae>") == "Someone <sociolect@localhost>"


def test_a_git_dir_of_the_caller_is_not_written_to(
    send: Callable[..., Published],
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GIT_DIR", str(repository / ".git"))
    send(tmp_path / "other")
    monkeypatch.delenv("GIT_DIR")
    assert git(repository, "tag") == ""
    assert git(tmp_path / "other", "tag") == "v1.0.0"


@pytest.mark.parametrize("command", ["write-tree", "commit-tree", "read-tree -m", "update-ref"])
@pytest.mark.parametrize("new", [True, False])
def test_git_fails_half_way(
    send: Callable[..., Published],
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    new: bool,
) -> None:
    path = tmp_path / "new" if new else repository
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin/git"
    script.write_text(
        f'#!/bin/sh\ncase "$*" in *"{command}"*)\n'
        '  echo "fatal: No space left on device" >&2; exit 128;;\nesac\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(script.parent), prepend=os.pathsep)
    with pytest.raises(PublishError, match=r"No space left on device.*Neither branch nor tag"):
        send(path)
    if new:
        assert not path.exists()
    else:
        assert git(repository, "log", "--format=%s") == "first"
        assert git(repository, "tag") == ""
        assert git(repository, "status", "--porcelain") == ""
        assert [p.name for p in (repository / ".git").glob("sociolect-*")] == []


def test_without_git(
    send: Callable[..., Published], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match="git is not installed"):
        send()


def test_a_dry_run_looks_and_makes_nothing(send: Callable[..., Published], tmp_path: Path) -> None:
    assert send(dry_run=True).sent is None
    assert not (tmp_path / "repo").exists()


def test_options_of_the_hub_are_refused(send: Callable[..., Published]) -> None:
    with pytest.raises(InvalidInputError, match="for the Hub, not for --to-git"):
        send(private=True)

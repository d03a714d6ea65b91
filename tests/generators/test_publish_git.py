"""Publishing into a local git repository: one commit and one tag, or nothing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
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


def assert_published(folder: Path) -> None:
    """One commit more, with its tag, and nothing left to do."""
    subjects = git(folder, "log", "--format=%s").splitlines()
    assert subjects == ["occupations_mini 1.0.0, sociolect 0.1.0", "first"]
    assert git(folder, "rev-parse", "v1.0.0") == git(folder, "rev-parse", "trunk")
    assert git(folder, "status", "--porcelain") == ""
    assert git(folder, "diff", "HEAD") == ""


def stub(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """A `git` of which `script` decides before the real one, `$GIT`, runs."""
    folder.mkdir()
    path = folder / "git"
    path.write_text(f'#!/bin/sh\nGIT={shutil.which("git")}\n{script}\nexec $GIT "$@"\n')
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return path


KILLS = {
    "before update-ref": "*update-ref*) kill -9 $PPID; exit 1",
    "after update-ref": '*update-ref*) $GIT "$@"; kill -9 $PPID; exit 0',
    "branch without tag": '*update-ref*) head -n 1 | $GIT "$@"; kill -9 $PPID; exit 0',
    "some files": "*read-tree\\ -m*) $GIT -C $3 show HEAD:README.md > $3/README.md;"
    " $GIT -C $3 show HEAD:manifest.json | head -c 99 > $3/manifest.json; kill -9 $PPID; exit 1",
    "after read-tree": '*read-tree\\ -m*) $GIT "$@"; kill -9 $PPID; exit 0',
}


@pytest.mark.parametrize("place", KILLS)
def test_a_run_that_was_killed_is_taken_up(
    send: Callable[..., Published],
    built: Path,
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
) -> None:
    (repository / "README.md").write_text("mine")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "first", "--amend")
    code = (
        "from pathlib import Path; from sociolect.generators.publish import publish; "
        f"publish(Path({str(built)!r}), repo='org/x', version='1.0.0', "
        f"to_git=Path({str(repository)!r}))"
    )
    script = stub(tmp_path / "bin", monkeypatch, f'case "$*" in {KILLS[place]};; esac')
    killed = subprocess.run([sys.executable, "-c", code], check=False)
    assert killed.returncode == -signal.SIGKILL
    script.unlink()
    if place == "after read-tree":
        with pytest.raises(PublishError, match=r"has the tag v1\.0\.0 already"):
            send(repository)
    else:
        send(repository)
    assert_published(repository)


@pytest.fixture
def lagging(send: Callable[..., Published], repository: Path) -> Path:
    """A repository as a run leaves it that was ended after branch and tag moved."""
    before = git(repository, "rev-parse", "HEAD")
    send(repository)
    after = git(repository, "rev-parse", "HEAD")
    git(repository, "reset", "-q", "--hard", before)
    git(repository, "update-ref", "HEAD", after)
    assert git(repository, "status", "--porcelain") != ""
    return repository


@pytest.mark.parametrize(
    "name", ["LICENSE", "README.md", "notes", "clean/test-00000-of-00001.parquet", "clean"]
)
def test_a_working_tree_that_lags_and_has_changes_is_left_alone(
    send: Callable[..., Published], lagging: Path, name: str
) -> None:
    (lagging / ".git/info/exclude").write_text("*.parquet\n")
    path = lagging / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("my own")
    with pytest.raises(
        PublishError, match=r"not committed \(.*the tag v1\.0\.0 already.*reset --hard` brings"
    ):
        send(lagging)
    assert path.read_text() == "my own"


def test_a_working_tree_that_lags_behind_something_else(
    send: Callable[..., Published], lagging: Path, tmp_path: Path
) -> None:
    git(lagging, "tag", "-d", "v1.0.0")
    with pytest.raises(PublishError, match="which does not hold this release; `git -C"):
        send(lagging, repo="org/y")  # another card
    assert git(lagging, "tag") == ""
    assert not (lagging / "README.md").exists()


def test_a_dry_run_leaves_a_working_tree_behind(
    send: Callable[..., Published], lagging: Path
) -> None:
    before = git(lagging, "status", "--porcelain")
    send(lagging, dry_run=True)
    assert git(lagging, "status", "--porcelain") == before


@pytest.mark.parametrize("seen", [True, False])
def test_ignored_files_are_not_replaced(
    send: Callable[..., Published], repository: Path, built: Path, seen: bool
) -> None:
    (repository / ".gitignore").write_text("*.parquet\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "second")
    mine = repository / FILES[2]
    mine.parent.mkdir()
    mine.write_bytes((built / FILES[2]).read_bytes() + b"mine" * seen)
    if not seen:  # the same content: nothing is lost
        send(repository)
        assert git(repository, "tag") == "v1.0.0"
        assert git(repository, "status", "--porcelain", "--ignored") == ""
        return
    with pytest.raises(PublishError, match=f"holds {FILES[2]}, which git does not track"):
        send(repository)
    assert mine.read_bytes().endswith(b"mine")
    assert git(repository, "tag") == ""
    assert git(repository, "log", "--format=%s").splitlines() == ["second", "first"]


@pytest.mark.parametrize("kind", ["file", "link"])
def test_ignored_entries_are_not_replaced_by_folders(
    send: Callable[..., Published], repository: Path, tmp_path: Path, kind: str
) -> None:
    (repository / ".git/info/exclude").write_text("l2-10\n")
    mine = repository / "l2-10"
    if kind == "file":
        mine.write_text("mine")
    else:
        (tmp_path / "elsewhere").mkdir()
        mine.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PublishError, match="holds l2-10, which git does not track"):
        send(repository)
    assert mine.is_symlink() == (kind == "link")
    assert git(repository, "tag") == ""


def test_untracked_files_that_the_user_does_not_list(
    send: Callable[..., Published], repository: Path
) -> None:
    git(repository, "config", "status.showUntrackedFiles", "no")
    (repository / "manifest.json").write_text("mine")
    with pytest.raises(PublishError, match=r"not committed \(manifest\.json\)"):
        send(repository)
    assert (repository / "manifest.json").read_text() == "mine"


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
    fail = f'*"{command}"*) echo "fatal: No space left on device" >&2; exit 128'
    script = stub(tmp_path / "bin", monkeypatch, f'case "$*" in {fail};; esac')
    behind = command == "read-tree -m" and not new
    state = "Branch and tag are set, the working tree lags" if behind else "Neither branch nor tag"
    with pytest.raises(PublishError, match=f"No space left on device.*{state}"):
        send(path)
    if new:
        assert not path.exists()
    elif behind:
        script.unlink()
        send(path)
        assert_published(repository)
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

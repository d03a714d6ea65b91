from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import filelock
import platformdirs
import pytest
from typer.testing import CliRunner

from sociolect.generators.errors import MissingToolError, RegistrationError
from sociolect.harness import register as module
from sociolect.harness import register_files
from sociolect.harness.cli import app
from sociolect.harness.register import FOLDER, lm_eval_tasks, register, registered, unregister
from sociolect.harness.register_files import MARKER

LEAF = "include: _template_yaml\ntask: {name}\ntag: mine_l2\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: folder / name)
    return folder


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "ours" / "winobias"
    folder.mkdir(parents=True)
    (folder / "_template_yaml").write_text("output_type: generate_until\n")
    for name in ("winobias_clean", "winobias_l2_30"):
        (folder / f"{name}.yaml").write_text(LEAF.format(name=name))
    return folder.parent


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "lm_eval" / "tasks"
    (folder / "arc").mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "arc" / "arc.yaml").write_text("task: arc_easy\ntag: ai2_arc\n")
    return folder


def listing(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def index(target: Path) -> dict[str, object]:
    tasks = pytest.importorskip("lm_eval.tasks")
    return dict(tasks.TaskManager(include_path=str(target), include_defaults=False).task_index)


def test_registered_tasks_are_found_and_then_gone(source, target):
    before = listing(target.parent)
    assert registered(target, source).state == "absent"
    status = register(target, source)
    assert status.state == "registered"
    found = index(target)
    assert {"winobias_clean", "winobias_l2_30", "mine_l2", "arc_easy"} == found.keys() - {"ai2_arc"}
    assert found["winobias_clean"].cfg["output_type"] == "generate_until"
    assert unregister(target).state == "absent"
    assert listing(target.parent) == before


def test_registering_twice_changes_nothing(source, target):
    register(target, source)
    first = listing(target.parent)
    assert register(target, source).state == "registered"
    assert listing(target.parent) == first


def test_upgrade_makes_it_stale_and_registering_replaces(source, target):
    register(target, source)
    (source / "winobias" / "winobias_clean.yaml").unlink()
    (source / "winobias" / "winobias_l2_5.yaml").write_text(LEAF.format(name="winobias_l2_5"))
    status = registered(target, source)
    assert status.state == "stale"
    assert "1 are new, 1 are gone" in status.describe()
    register(target, source)
    assert "winobias_clean" not in index(target)
    assert "winobias_l2_5" in index(target)


def test_moved_installation_is_stale(source, target):
    register(target, source)
    moved = source.rename(source.with_name("elsewhere"))
    assert "2 moved" in registered(target, moved).describe()


def test_missing_stub_is_stale(source, target):
    register(target, source)
    (target / FOLDER / "winobias-winobias_clean.yaml").unlink()
    assert registered(target, source).state == "stale"
    assert register(target, source).state == "registered"


def test_folder_of_someone_else_is_left_alone(source, target):
    (target / FOLDER).mkdir()
    (target / FOLDER / "their.yaml").write_text("task: theirs\n")
    before = listing(target.parent)
    assert registered(target, source).state == "foreign"
    with pytest.raises(RegistrationError, match="not ours"):
        register(target, source)
    assert unregister(target).state == "foreign"
    assert listing(target.parent) == before


def spoil(target: Path) -> tuple[Path, Path]:
    """A file of someone else and an edited stub."""
    theirs, edited = (
        target / FOLDER / "theirs.yaml",
        target / FOLDER / "winobias-winobias_clean.yaml",
    )
    theirs.write_text("task: theirs\n")
    edited.write_text(edited.read_text() + "repeats: 1\n")
    return theirs, edited


def test_files_that_others_put_into_our_folder_stay(source, target):
    register(target, source)
    theirs, edited = spoil(target)
    assert registered(target, source).state == "foreign"
    with pytest.raises(RegistrationError, match=r"not ours.*and 1 more.*Move or delete"):
        register(target, source)
    left = unregister(target)
    assert left.state == "foreign"
    said = left.describe()
    assert "kept theirs.yaml (not written by `sociolect register`)" in said
    assert f"kept {edited.name} (edited)" in said
    assert "Move or delete" in said
    assert sorted((target / FOLDER).iterdir()) == [theirs, edited]


@pytest.mark.parametrize("how", ["before unregister", "after unregister"])
@pytest.mark.parametrize("command", [register, unregister])
def test_once_their_files_are_gone_both_commands_work(source, target, how, command):
    register(target, source)
    written = (target / FOLDER / "winobias-winobias_clean.yaml").read_text()
    theirs, edited = spoil(target)
    if how == "after unregister":
        unregister(target)
    theirs.unlink()
    edited.write_text(written)  # given up: as it was
    assert registered(target, source).state != "foreign"
    if command is register:
        assert register(target, source).state == "registered"
    else:
        assert unregister(target).state == "absent"
        assert not (target / FOLDER).exists()


def test_folder_emptied_by_hand_is_no_obstacle(source, target):
    (target / FOLDER).mkdir()
    assert registered(target, source).state == "absent"
    assert register(target, source).state == "registered"


@pytest.mark.parametrize("name", ["notes", "winobias-winobias_clean.yaml"])
def test_folders_in_our_folder_stay(source, target, name):
    register(target, source)
    (target / FOLDER / name).unlink(missing_ok=True)
    (target / FOLDER / name).mkdir()
    with pytest.raises(RegistrationError, match=name):
        register(target, source)
    assert name in unregister(target).describe()
    assert (target / FOLDER / name).is_dir()


def test_link_in_the_place_of_our_folder_stays(source, target, tmp_path):
    register(target, source)
    moved = (target / FOLDER).rename(tmp_path / "elsewhere")
    (target / FOLDER).symlink_to(moved)
    before = listing(moved)
    with pytest.raises(RegistrationError, match="is a link"):
        register(target, source)
    assert unregister(target).state == "foreign"
    assert listing(moved) == before


def test_interrupted_unregister_can_be_repeated(source, target, monkeypatch):
    register(target, source)
    unlink = Path.unlink

    def stopped(self: Path, missing_ok: bool = False) -> None:
        if self.name == "winobias-winobias_l2_30.yaml":
            raise KeyboardInterrupt
        unlink(self, missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", stopped)
        with pytest.raises(KeyboardInterrupt):
            unregister(target)
    assert registered(target, source).state == "stale"
    assert unregister(target).state == "absent"


def test_unregister_that_kept_something_fails(source, target, monkeypatch):
    monkeypatch.setattr(module, "lm_eval_tasks", lambda: target)
    register(target, source)
    spoil(target)
    result = CliRunner().invoke(app, ["unregister"])
    assert result.exit_code == 1
    assert "kept theirs.yaml" in result.output
    shutil.rmtree(target / FOLDER)
    assert CliRunner().invoke(app, ["unregister"]).exit_code == 0


@pytest.mark.parametrize("taken", ["task: winobias_clean\n", "task: other\ntag: mine_l2\n"])
def test_name_of_lm_eval_is_refused(source, target, taken):
    (target / "arc" / "zz.yaml").write_text(taken)
    before = listing(target.parent)
    with pytest.raises(RegistrationError, match="has its own"):
        register(target, source)
    assert listing(target.parent) == before


def test_own_names_are_no_collision_the_second_time(source, target):
    register(target, source)
    assert register(target, source).state == "registered"


def test_task_file_that_lm_eval_cannot_read(source, target):
    (source / "winobias" / "broken.yaml").write_text("include: _missing_yaml\n")
    with pytest.raises(RegistrationError, match="cannot be read"):
        register(target, source)
    assert not (target / FOLDER).exists()


@pytest.mark.parametrize("step", ["_check_names", "_swap"])
def test_interrupted_half_way_leaves_nothing_visible(source, target, step, monkeypatch):
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = listing(target.parent)
    with monkeypatch.context() as patch:
        patch.setattr(module, step, stop)
        with pytest.raises(KeyboardInterrupt):
            register(target, source)
    assert listing(target.parent) == before


def test_killed_half_way_is_invisible_and_swept_away(source, target):
    stage = target.parent / f"{module.STAGE_PREFIX}12345"
    stage.mkdir()
    (stage / "winobias-winobias_clean.yaml").write_text("include: /x.yaml\n")
    assert "winobias_clean" not in index(target)
    assert registered(target, source).state == "absent"
    register(target, source)
    assert not stage.exists()


def test_old_folder_comes_back_when_the_new_one_cannot_move(source, target, monkeypatch):
    register(target, source)
    first = listing(target)
    (source / "winobias" / "winobias_l2_5.yaml").write_text(LEAF.format(name="winobias_l2_5"))
    rename = Path.rename

    def failing(self: Path, other: Path) -> Path:
        if Path(other).name == FOLDER and not self.name.endswith("-old"):
            raise PermissionError(13, "Permission denied")
        return rename(self, other)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(RegistrationError, match="Permission denied"):
        register(target, source)
    assert listing(target) == first


def test_read_only_folder_names_the_alternatives(source, target, monkeypatch):
    mkdir = Path.mkdir

    def failing(self: Path, *args: object, **options: object) -> None:
        if self.name.startswith(module.STAGE_PREFIX):
            raise OSError(30, "Read-only file system")
        mkdir(self, *args, **options)

    monkeypatch.setattr(Path, "mkdir", failing)
    with pytest.raises(RegistrationError, match="Read-only file system") as caught:
        register(target, source)
    assert "sociolect eval" in str(caught.value)
    assert "--include_path" in str(caught.value)


def test_without_task_files(tmp_path, target):
    with pytest.raises(RegistrationError, match="no task files"):
        register(target, tmp_path / "empty")


@pytest.mark.parametrize("damage", ["missing", "{", "[]"])
@pytest.mark.parametrize("moved", [False, True])
def test_our_stubs_without_their_list_are_still_ours(source, target, damage, moved):
    register(target, source)
    (target / FOLDER / MARKER).unlink()
    if damage != "missing":
        (target / FOLDER / MARKER).write_text(damage)
    if moved:
        source = source.rename(source.with_name("elsewhere"))
    assert registered(target, source).state == "stale"
    assert register(target, source).state == "registered"
    (target / FOLDER / MARKER).unlink()
    assert unregister(target).state == "absent"
    assert not (target / FOLDER).exists()


@pytest.mark.parametrize(
    "text",
    [
        "include: /x/winobias/winobias_clean.yaml\n",  # no line that says whose it is
        f'{register_files.HEADER}include: "/x/winobias/winobias_clean.yaml"\nrepeats: 1\n',
        f'{register_files.HEADER}include: "/x/winobias/other.yaml"\n',
        f'{register_files.HEADER}include: "winobias/winobias_clean.yaml"\n',
        f'{register_files.HEADER}include: "/x/winobias\\winobias_clean.yaml"\n',
    ],
)
def test_without_the_list_other_content_is_not_ours(source, target, text):
    register(target, source)
    (target / FOLDER / MARKER).unlink()
    stub = target / FOLDER / "winobias-winobias_clean.yaml"
    stub.write_text(text)
    with pytest.raises(RegistrationError, match="not ours"):
        register(target, source)
    assert unregister(target).state == "foreign"
    assert [path.name for path in (target / FOLDER).iterdir()] == [stub.name]
    assert stub.read_text() == text


def test_two_at_once_both_end_well(source, target, cache, tmp_path):
    script = tmp_path / "one.py"
    script.write_text(
        "import sys, time, platformdirs\n"
        "from pathlib import Path\n"
        "from sociolect.harness import register as module\n"
        "target, source, cache = map(Path, sys.argv[1:])\n"
        "platformdirs.user_cache_path = lambda name: cache / name\n"
        "module._check_names = lambda *_: time.sleep(0.5)\n"
        "print(module.register(target, source).state)\n"
    )
    command = [sys.executable, str(script), str(target), str(source), str(cache)]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    ended = [process.communicate(timeout=60) for process in running]
    assert [out for out, _ in ended] == ["registered\n"] * 3, ended
    assert registered(target, source).state == "registered"
    assert sorted(p.name for p in target.iterdir()) == ["__init__.py", "arc", FOLDER]
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("command", [register, unregister])
def test_another_process_that_does_not_end_is_named(source, target, cache, command, monkeypatch):
    register(target, source)
    before = listing(target.parent)
    (lock,) = (cache / "sociolect" / "locks").iterdir()
    monkeypatch.setattr(module, "LOCK_SECONDS", 0.05)
    arguments = (target, source) if command is register else (target,)
    with (
        filelock.FileLock(lock),
        pytest.raises(RegistrationError, match="another process"),
    ):
        command(*arguments)
    assert listing(target.parent) == before
    assert command(*arguments).state in ("registered", "absent")


def test_cache_that_cannot_be_written_is_named(source, target, cache):
    cache.write_text("a file")
    with pytest.raises(RegistrationError, match="lock file"):
        register(target, source)


def test_what_is_not_registered_in_the_end_is_an_error(source, target, monkeypatch):
    swap = module._swap

    def spoilt(stage: Path, folder: Path) -> None:
        swap(stage, folder)
        (folder / MARKER).unlink()

    monkeypatch.setattr(module, "_swap", spoilt)
    with pytest.raises(RegistrationError, match="not as they should be"):
        register(target, source)


def test_list_names_exactly_what_was_written(source, target):
    register(target, source)
    marker = json.loads((target / FOLDER / MARKER).read_text())
    files = {path.name for path in (target / FOLDER).iterdir()} - {MARKER}
    assert marker["files"].keys() == files


def test_lm_eval_missing(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(MissingToolError, match="pip install"):
        lm_eval_tasks()


def test_lm_eval_of_this_python():
    pytest.importorskip("lm_eval")
    assert (lm_eval_tasks() / "manager.py").is_file()

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sociolect.generators.errors import MissingToolError, RegistrationError
from sociolect.harness import register as module
from sociolect.harness.register import (
    FOLDER,
    MARKER,
    lm_eval_tasks,
    register,
    registered,
    unregister,
)

LEAF = "include: _template_yaml\ntask: {name}\ntag: mine_l2\n"


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


def test_files_that_others_put_into_our_folder_stay(source, target):
    register(target, source)
    (target / FOLDER / "theirs.yaml").write_text("task: theirs\n")
    edited = target / FOLDER / "winobias-winobias_clean.yaml"
    edited.write_text(edited.read_text() + "repeats: 1\n")
    with pytest.raises(RegistrationError, match="not ours"):
        register(target, source)
    left = unregister(target)
    assert left.state == "foreign"
    assert len(left.details) == 2
    assert sorted(p.name for p in (target / FOLDER).iterdir()) == ["theirs.yaml", edited.name]


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
    def failing(self: Path, *_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", failing)
    with pytest.raises(RegistrationError, match="Read-only file system") as caught:
        register(target, source)
    assert "sociolect eval" in str(caught.value)
    assert "--include_path" in str(caught.value)


def test_without_task_files(tmp_path, target):
    with pytest.raises(RegistrationError, match="no task files"):
        register(target, tmp_path / "empty")


def test_damaged_list_counts_as_foreign(source, target):
    register(target, source)
    (target / FOLDER / MARKER).write_text("{")
    assert registered(target, source).state == "foreign"
    with pytest.raises(RegistrationError):
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

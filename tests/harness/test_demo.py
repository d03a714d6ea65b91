from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sociolect.generators.errors import InvalidInputError
from sociolect.harness import demo
from sociolect.harness.demo import MARKER, Settings, _write_marker

COMMAND = [str(Path(sys.executable).with_name("sociolect"))]


def start(*arguments: str, cwd: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=cwd,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=listen_to_interrupts,
    )


def listen_to_interrupts() -> None:
    """A test run in the background ignores SIGINT, and its children would too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def finish(*arguments: str, cwd: Path, code: int = 0) -> tuple[str, str]:
    process = start(*arguments, cwd=cwd)
    out, err = process.communicate(timeout=600)
    assert process.returncode == code, err
    return out, err


@pytest.mark.parametrize(
    ("wrong", "says"), [({"pairs": 1}, "--pairs"), ({"direct_pairs": -1}, "--direct")]
)
def test_numbers_out_of_range_are_refused(tmp_path: Path, wrong: dict[str, int], says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        Settings(out=tmp_path / "demo", **wrong)  # type: ignore[arg-type]


def demonstration(folder: Path) -> Path:
    """What counts as one: a file of data, a comparison, and the marker that lists them."""
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "manifest.json").write_text("{}")
    (folder / "results").mkdir()
    _write_marker(folder, Settings(out=folder.with_name("none")), "{}")
    (folder / "comparison_ll.md").write_text("| |")
    return folder


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InvalidInputError, match="other than a demonstration"):
        Settings(out=tmp_path)
    with pytest.raises(InvalidInputError, match="is a file"):
        Settings(out=tmp_path / "thesis.tex")


@pytest.mark.parametrize("marker", ["{}", "[]", "{", '{"sociolect_version": "1.0.0"}'])
def test_a_marker_that_is_not_ours_is_none(tmp_path: Path, marker: str) -> None:
    (tmp_path / MARKER).write_text(marker)
    with pytest.raises(InvalidInputError, match="other than a demonstration"):
        Settings(out=tmp_path)


def test_a_demonstration_may_be_replaced(tmp_path: Path) -> None:
    folder = demonstration(tmp_path / "made")
    assert Settings(out=folder).out == folder


@pytest.mark.parametrize("name", ["thesis.txt", "data/notes.md", "results/ll/mine/x.json"])
def test_other_files_in_a_demonstration_are_named(tmp_path: Path, name: str) -> None:
    folder = demonstration(tmp_path / "made")
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("mine")
    with pytest.raises(InvalidInputError, match=f"did not write: {name}"):
        Settings(out=folder)


def test_a_link_in_a_demonstration_is_named(tmp_path: Path) -> None:
    folder = demonstration(tmp_path / "made")
    (folder / "elsewhere").symlink_to(tmp_path)
    with pytest.raises(InvalidInputError, match="did not write: elsewhere"):
        Settings(out=folder)


def test_a_folder_that_fills_meanwhile_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "made"

    def score(*_: object) -> None:
        out.mkdir(exist_ok=True)
        (out / "thesis.txt").write_text("mine")

    monkeypatch.setattr(demo.demo_model, "ready_model", lambda *_: "{}")
    monkeypatch.setattr(demo, "build", lambda *_, **__: None)
    monkeypatch.setattr(demo, "_score", score)
    with pytest.raises(InvalidInputError, match="other than a demonstration"):
        demo.run(Settings(out=out))
    assert [path.name for path in tmp_path.iterdir()] == ["made"]
    assert (out / "thesis.txt").read_text() == "mine"


@pytest.mark.slow
def test_a_model_that_is_none_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    _, err = finish("demo", "--model", str(tmp_path / "no-model"), cwd=tmp_path, code=2)
    assert "no-model" in err
    assert "no such folder" in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_whole_chain(tmp_path: Path) -> None:
    arguments = ("demo", "--out", "made", "--pairs", "4", "--direct", "2")
    out, err = finish(*arguments, cwd=tmp_path)
    made = tmp_path / "made"

    # the tables, with the warning that they mean nothing
    assert out.count("detectable") >= 2
    assert "Running loglikelihood requests" in err
    assert "[4/4]" in err

    # three items of different pairs, readable without colour
    assert "\x1b[" not in out
    shown = [line for line in out.splitlines() if line.startswith("  occupations_mini/")]
    assert len(shown) == 3
    assert "[-" in out
    assert "{+" in out
    flowing = " ".join(out.split())
    assert "are no finding" in flowing
    assert flowing.count("Clean: ") == flowing.count("with errors: ") == 3

    # the files that are announced, and no others
    assert sorted(p.name for p in tmp_path.iterdir()) == ["made"]
    for name in ("data/manifest.json", "results/ll", "results/direct", MARKER):
        assert (made / name).exists()
    document = json.loads((made / "comparison_ll.json").read_text())
    assert document["rows"][0]["n"] == 4
    for given in document["inputs"]:
        assert (tmp_path / given["samples"]).is_file()

    # what to type next works as it is printed
    again = next(line for line in out.splitlines() if line.endswith("compare made/results/ll"))
    program, *rest = again.split()
    assert Path(program).name == "sociolect"
    table, _ = finish(*rest, cwd=tmp_path)
    assert table in out

    # and a second demonstration replaces the first
    finish("demo", "--out", "made", "--pairs", "2", cwd=tmp_path)
    assert not (made / "results" / "direct").exists()
    assert json.loads((made / MARKER).read_text())["pairs"] == 2


@pytest.mark.slow
def test_an_interrupted_demonstration_leaves_nothing(tmp_path: Path) -> None:
    process = start("demo", "--out", "made", cwd=tmp_path)
    assert process.stderr is not None
    seen = ""
    while "Running loglikelihood" not in seen:
        read = process.stderr.read(64)
        assert read, seen
        seen += read
    assert any(p.name.endswith(".partial") for p in tmp_path.iterdir())
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode not in (0, None)
    assert list(tmp_path.iterdir()) == []
    assert "Traceback" not in err
    assert "no finding" not in out

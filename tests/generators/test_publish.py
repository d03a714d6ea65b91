"""From a build to a release: what it holds, and what stops it."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pytest
from pyarrow import parquet

from sociolect.generators import release
from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.build import build
from sociolect.generators.conditions import Condition
from sociolect.generators.errors import DataError, InvalidInputError, SociolectError, SourceError
from sociolect.generators.layout import MANIFEST, PARQUET, REALISM
from sociolect.generators.manifest import read_manifest
from sociolect.generators.publish import publish
from sociolect.generators.release import Release, make_release
from sociolect.generators.rows import config_sha256
from sociolect.generators.verify import verify
from sociolect.generators.withheld import restore_rows


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("build") / "mini"
    conditions = [Condition("l2", 30), Condition("l2det", 30, "both")]
    build("occupations_mini", conditions, out=out, skip_unreachable=True)
    return out


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    """A build that may be damaged."""
    return Path(shutil.copytree(built, tmp_path / "copied"))


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Release]:
    def of(folder: Path, version: str = "1.0.0") -> Release:
        out = tmp_path / "release"
        out.mkdir()
        return make_release(folder, out, repo="org/x", version=version)

    return of


def contents(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }


def test_a_release_loads_as_its_users_will_load_it(
    make: Callable[..., Release], built: Path, tmp_path: Path
) -> None:
    before = contents(built)
    folder = make(built).folder
    assert contents(built) == before
    found = contents(folder)
    assert set(found) == {"README.md", MANIFEST, f"clean/{PARQUET}", f"l2-30/{PARQUET}"}
    assert found[MANIFEST] == before[MANIFEST]
    assert datasets.get_dataset_config_names(str(folder)) == ["clean", "l2-30"]
    entries = read_manifest(built)["configs"]
    for name, entry in entries.items():
        loaded = datasets.load_dataset(str(folder), name, cache_dir=str(tmp_path / "hf"))["test"]
        assert config_sha256(loaded) == entry["sha256"]
    default = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "hf"))["test"]
    assert set(default["transform"]) == {"clean"}
    assert "above the ceiling: `l2det-30-both`." in found["README.md"].decode()


def test_sizes_in_the_card_are_those_that_datasets_finds(
    make: Callable[..., Release], built: Path, tmp_path: Path
) -> None:
    folder = make(built).folder
    said = datasets.load_dataset_builder(str(folder), "l2-30").info
    bare = tmp_path / "bare"  # no card: datasets counts for itself
    shutil.copytree(folder / "l2-30", bare)
    found = datasets.load_dataset(str(bare), cache_dir=str(tmp_path / "hf"))["test"].info
    assert said.features == found.features
    assert said.splits["test"].num_bytes == found.splits["test"].num_bytes
    assert said.splits["test"].num_examples == found.splits["test"].num_examples
    assert said.download_size == (folder / "l2-30" / PARQUET).stat().st_size


def test_loading_leaves_nothing_behind(
    make: Callable[..., Release], built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "hf")
    make(built)
    assert list(temporary.iterdir()) == []
    assert not (tmp_path / "hf").exists()


@pytest.mark.parametrize("version", ["1", "1.0", "v1.0.0", "1.0.0-rc1", "01.0.0", "1.0.0\n", ""])
def test_versions_that_are_none(make: Callable[..., Release], built: Path, version: str) -> None:
    with pytest.raises(InvalidInputError, match=r"write X\.Y\.Z"):
        make(built, version)


def test_a_version_that_is_not_that_of_the_data(make: Callable[..., Release], built: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"the build is data version 1\.0\.0\. Tasks ask"):
        make(built, "1.0.1")


def edit_manifest(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    manifest = read_manifest(folder)
    change(manifest)
    (folder / MANIFEST).write_text(json.dumps(manifest), "utf-8")


def rewrite(folder: Path, config: str, change: Callable[[dict[str, Any]], object]) -> None:
    """Change every row of a config by hand, and nothing else."""
    path = folder / config / PARQUET
    table = parquet.read_table(path)
    rows = table.to_pylist()
    for row in rows:
        change(row)
    parquet.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)


def fit_manifest(folder: Path, config: str) -> None:
    """Make the hash fit, as somebody would who edits both."""
    rows = parquet.read_table(folder / config / PARQUET).to_pylist()
    edit_manifest(folder, lambda m: m["configs"][config].update(sha256=config_sha256(rows)))


def cut(folder: Path) -> None:
    path = folder / "l2-30" / PARQUET
    parquet.write_table(parquet.read_table(path).slice(0, 100), path)


def other_columns(folder: Path) -> None:
    path = folder / "l2-30" / PARQUET
    parquet.write_table(parquet.read_table(path).drop_columns(["protected"]), path)


def protect_everything(row: dict[str, Any]) -> None:
    row["protected"] = [{"part": "input", "start": 0, "end": 9}]


def other_text(row: dict[str, Any]) -> None:
    """Another question, in the clean text and in what was made of it."""
    row["question"] = "Who is it?"


def other_word(row: dict[str, Any]) -> None:
    """Another first letter, outside all edits: everything in the row still fits."""
    if all(edit["start"] > 0 for edit in row["edits"] if edit["part"] == "instruction"):
        row["instruction"] = "B" + row["instruction"][1:]


def renew(folder: Path, config: str, change: Callable[[dict[str, Any]], object]) -> None:
    rewrite(folder, config, change)
    fit_manifest(folder, config)


def empty(folder: Path) -> None:
    path = folder / "l2-30" / PARQUET
    parquet.write_table(parquet.read_table(path).slice(0, 0), path)
    edit_manifest(folder, lambda m: m["configs"]["l2-30"].update(rows=0, mean_error_rate=0.0))
    fit_manifest(folder, "l2-30")


def undo_anti(row: dict[str, Any]) -> None:
    """Call the errors of one member something else."""
    if row["member"] == "anti":
        for edit in row["edits"]:
            edit["subtype"] += "x"


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "texts": (lambda f: rewrite(f, "l2-30", lambda r: r.update(input="x")), "'l2-30' was changed"),
    "fewer rows": (cut, "'l2-30' was changed after the build: 100 rows"),
    "missing file": (lambda f: (f / "l2-30" / PARQUET).unlink(), "'l2-30': .* is missing"),
    "no parquet": (lambda f: (f / "clean" / PARQUET).write_text("x"), "'clean': .* cannot be read"),
    "columns": (other_columns, "'l2-30': .*no column protected"),
    "no manifest": (lambda f: (f / MANIFEST).unlink(), "not a finished build"),
    "old entry": (
        lambda f: edit_manifest(f, lambda m: m["configs"]["l2-30"].pop("ceiling")),
        "config 'l2-30' has no 'ceiling': an older version of sociolect wrote it",
    ),
    "old manifest": (lambda f: edit_manifest(f, lambda m: m.pop("toolchain")), "no toolchain"),
    "odd entry": (
        lambda f: edit_manifest(f, lambda m: m["configs"]["l2-30"].update(rows="many")),
        "config 'l2-30': 'rows' is 'many'",
    ),
    "no clean": (
        lambda f: edit_manifest(f, lambda m: m["configs"].pop("clean")),
        "'clean' is miss",
    ),
    "a path": (
        lambda f: edit_manifest(f, lambda m: m["configs"].update({"../x": m["configs"]["clean"]})),
        "unknown condition '../x'",
    ),
    "another level": (
        lambda f: edit_manifest(f, lambda m: m["configs"]["l2-30"].update(level=20)),
        "'l2-30' describes another condition",
    ),
    "other rules": (
        lambda f: edit_manifest(f, lambda m: m.update(rules="careful")),
        "config 'clean' was made with the rules 'paper', the manifest says 'careful'",
    ),
    "other rules of a config": (
        lambda f: edit_manifest(f, lambda m: m["configs"]["l2-30"].update(rules="careful")),
        "config 'l2-30' was made with the rules 'careful', the manifest says 'paper'",
    ),
    "no rows": (empty, "config 'l2-30' has zero rows"),
    "renewed question": (
        lambda f: renew(f, "clean", other_text),
        "config 'clean' is not what the source files give: .*question: expected .*Who is it",
    ),
    "renewed text": (
        lambda f: renew(f, "l2-30", other_word),
        "config 'l2-30' is not what the source files give: .*instruction: expected .*, and 127 mo",
    ),
    "other source files": (
        lambda f: edit_manifest(f, lambda m: m["sources"][0].update(sha256="0" * 64)),
        "the manifest is not what the source files give: SHA-256 of .*found 000",
    ),
    "a better rate": (
        lambda f: edit_manifest(f, lambda m: m["configs"]["l2-30"].update(mean_error_rate=0.3)),
        "'l2-30': the manifest and the rows differ in mean error rate",
    ),
    "a better mix": (
        lambda f: edit_manifest(f, lambda m: m["configs"]["l2-30"]["mix"][0].update(count=1)),
        "'l2-30': the manifest and the rows differ in realised mix",
    ),
    "another seed": (lambda f: edit_manifest(f, lambda m: m.update(seed=7)), "'clean': .* in seed"),
    "rows and hash": (
        lambda f: (rewrite(f, "l2-30", protect_everything), fit_manifest(f, "l2-30")),
        r"'l2-30' does not pass the audit \(.*crosses an edge",
    ),
    "an unequal pair": (
        lambda f: (rewrite(f, "l2-30", undo_anti), fit_manifest(f, "l2-30")),
        r"'l2-30' does not pass the audit \(.*unequal pairs",
    ),
    "realism": (lambda f: (f / REALISM).write_text('{"reference": "x"}'), "realism.json: the comp"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_was_damaged_or_edited_is_refused(
    make: Callable[..., Release], copied: Path, damage: str
) -> None:
    change, message = DAMAGES[damage]
    change(copied)
    with pytest.raises(SociolectError, match=message):
        make(copied)


def test_realism_goes_into_the_card(make: Callable[..., Release], copied: Path) -> None:
    found = {
        "config": "l2-30",
        "reference": {"name": "W&I+LOCNESS train", "edits": 3},
        "total_variation": 0.08,
        "per_type": [{"type": "M:DET", "ours": 0.2, "reference": 0.25, "ours_count": 4}],
    }
    (copied / REALISM).write_text(json.dumps(found))
    text = (make(copied).folder / "README.md").read_text("utf-8")
    assert "of `l2-30`, as ERRANT annotates them" in text
    assert "| M:DET | 20.0 % | 25.0 % |" in text


def test_realism_of_other_data_is_refused(make: Callable[..., Release], copied: Path) -> None:
    found = {"config": "l2-30", "config_sha256": "0" * 64, "reference": "x", "per_type": []}
    (copied / REALISM).write_text(json.dumps(found | {"total_variation": 0}))
    with pytest.raises(DataError, match="describes other data than config 'l2-30'"):
        make(copied)


def test_zero_rows_are_seen_before_anything_is_loaded(
    copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty(copied)
    monkeypatch.setattr(datasets, "load_dataset", lambda *_, **__: pytest.fail("loaded"))
    with pytest.raises(DataError, match="'l2-30' has zero rows: nothing to publish"):
        make_release(copied, tmp_path, repo="org/x", version="1.0.0")


def test_texts_are_compared_with_the_source_files_that_are_at_hand(
    sources: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "winobias"
    build("winobias", [], out=folder, sources=sources)
    monkeypatch.delenv("SOCIOLECT_SOURCES", raising=False)

    def dry(named: Path | None = None) -> str:
        publish(folder, repo="o/x", version="1.0.0", dry_run=True, sources=named)
        return capsys.readouterr().err

    unlooked = "were not compared with the source files"
    assert unlooked in dry()
    assert unlooked not in dry(sources)
    monkeypatch.setenv("SOCIOLECT_SOURCES", str(tmp_path))  # holds other things
    assert f"{unlooked} (cannot read" in dry()
    with pytest.raises(SourceError, match="cannot read"):
        dry(tmp_path)
    renew(folder, "clean", other_text)
    dry()
    monkeypatch.setenv("SOCIOLECT_SOURCES", str(sources))
    with pytest.raises(DataError, match="'clean' is not what the source files give"):
        dry()


def test_foreign_files_stay_at_home(make: Callable[..., Release], copied: Path) -> None:
    (copied / "secret.txt").write_text("x")
    (copied / "l2-30/notes").write_text("x")
    (copied / "README.md").write_text("edited by hand")
    found = contents(make(copied).folder)
    assert set(found) == {"README.md", MANIFEST, f"clean/{PARQUET}", f"l2-30/{PARQUET}"}
    assert b"edited by hand" not in found["README.md"]


def test_text_without_a_licence_is_withheld(
    make: Callable[..., Release], sources: Path, tmp_path: Path
) -> None:
    build("degen_race", [Condition("l2", 20)], out=tmp_path / "degen", sources=sources)
    made = make(tmp_path / "degen")
    assert made.manifest["text"] == "withheld"
    assert json.loads((made.folder / MANIFEST).read_text("utf-8")) == made.manifest
    benchmark = load_benchmark("degen_race", sources)
    everything = b"".join(contents(made.folder).values())
    for name, entry in made.manifest["configs"].items():
        rows = parquet.read_table(made.folder / name / PARQUET).to_pylist()
        everything += json.dumps(rows).encode()
        assert restore_rows(rows, benchmark, sha256=entry["sha256"])
    texts = {item.parts["input"].text for item in benchmark.items}
    words = [text[at : at + 40] for text in texts for at in range(0, len(text) - 40, 40)]
    assert len(words) > 200
    assert not [w for w in words if w.encode() in everything]
    report = verify(made.folder, benchmark=None)
    assert dict(report.counts) == {}


def test_a_kept_release_replaces_an_earlier_one_only(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dry(keep: Path) -> None:
        publish(built, repo="org/x", version="1.0.0", dry_run=True, keep=keep)

    keep = tmp_path / "kept"
    dry(keep)
    first = contents(keep)
    dry(keep)
    assert contents(keep) == first
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]
    (keep / "notes").write_text("x")
    with pytest.raises(InvalidInputError, match="holds what no release put there"):
        dry(keep)
    assert (keep / "notes").exists()


@pytest.mark.parametrize("option", ["keep", "to_git"])
@pytest.mark.parametrize("place", [".", "..", "l2-30/x"])
def test_the_build_is_not_replaced(copied: Path, option: str, place: str) -> None:
    before = contents(copied)
    with pytest.raises(InvalidInputError, match="which is the build, inside it, or around it"):
        publish(copied, repo="org/x", version="1.0.0", dry_run=True, **{option: copied / place})
    assert contents(copied) == before


def test_one_folder_cannot_be_both(built: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="name the same folder"):
        publish(built, repo="o/x", version="1.0.0", keep=tmp_path / "x", to_git=tmp_path / "x")


@pytest.mark.parametrize("keep", [True, False])
def test_a_full_disk_leaves_nothing(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: bool
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    copy = shutil.copyfile

    def full(source: Path, target: Path) -> None:
        if "l2-30" in str(source):
            target.write_bytes(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")
        copy(source, target)

    monkeypatch.setattr(release.shutil, "copyfile", full)
    with pytest.raises(
        InvalidInputError, match=r"No space left on device\); nothing was published"
    ):
        publish(
            built,
            repo="org/x",
            version="1.0.0",
            to_git=tmp_path / "repo",
            keep=tmp_path / "kept" if keep else None,
        )
    assert [p.name for p in tmp_path.iterdir()] == ["tmp"]
    assert list((tmp_path / "tmp").iterdir()) == []


def test_no_place_for_temporary_files(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    with pytest.raises(InvalidInputError, match="nothing was published"):
        publish(built, repo="org/x", version="1.0.0", dry_run=True)


def test_a_build_that_does_not_load_is_refused(
    make: Callable[..., Release], built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The card decides what `load_dataset` sees; a wrong one must not leave."""
    render = release.render_card
    monkeypatch.setattr(
        release,
        "render_card",
        lambda card: render(card).replace("num_examples: 128", "num_examples: 127"),
    )
    with pytest.raises(DataError, match="'clean' of the release cannot be loaded"):
        make(built)

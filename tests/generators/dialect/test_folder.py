"""A folder of pairs: what is written is read back, and what is damaged is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from sociolect.generators.dialect.folder import (
    Built,
    is_dialect,
    read_folder,
    schema,
    write_folder,
)
from sociolect.generators.dialect.manifest import (
    aae_sha256,
    assemble,
    entry_of,
    row_of,
    segmented_of,
)
from sociolect.generators.dialect.pair_faults import boundary_problem, row_faults
from sociolect.generators.dialect.pairs import Boundaries, DialectPair, Segmented
from sociolect.generators.errors import DataError, InvalidInputError
from sociolect.generators.items import Dropped, SourceFile
from sociolect.generators.layout import CARD, MANIFEST, PARQUET

PAIRS = (
    Segmented(
        DialectPair(
            "a",
            "He be working late 😀 tonight",
            "He usually works late 😀 tonight",
            "He be at work late",
            2 / 3,
            "evaluation",
            "g",
        ),
        Boundaries(13, 16),
    ),
    Segmented(
        DialectPair("b", "She been knew", "She has long known", split="direction"), None, "r"
    ),
)


@pytest.fixture
def built() -> Built:
    return assemble(
        PAIRS,
        name="mine",
        licence="MIT",
        sources=[SourceFile("mine.jsonl", "0" * 64)],
        dropped=[Dropped("mine.jsonl:3 (c)", "the AAE side is empty")],
        segmentation={"rho": 0.5},
    )


@pytest.fixture
def folder(built: Built, tmp_path: Path) -> Path:
    write_folder(built, tmp_path / "pairs")
    return tmp_path / "pairs"


def edit(folder: Path, **changes: Any) -> None:
    path = folder / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")


def test_what_is_written_is_read_back(built: Built, folder: Path) -> None:
    assert read_folder(folder) == built
    assert [segmented_of(row) for row in read_folder(folder).rows] == list(PAIRS)
    assert sorted(path.name for path in folder.iterdir()) == [CARD, MANIFEST, "pairs"]
    assert is_dialect(folder)


def test_the_manifest_says_what_the_rows_are(built: Built) -> None:
    manifest = built.manifest
    assert manifest["splits"] == {"direction": 1, "evaluation": 1}
    assert manifest["segmentation"] == {
        "rho": 0.5,
        "counts": {"segmented": 1, "r": 1},
        "unlike": {"places": 0, "lengths": 0, "either": 0},
    }
    assert manifest["configs"]["pairs"]["rows"] == 2
    assert manifest["text"] == "whole"
    assert "numpy" in manifest["toolchain"]


def test_columns_are_in_their_order(folder: Path) -> None:
    names = "id aae sae aae_back naturalness split group aae_boundary sae_boundary unsegmented"
    assert parquet.read_schema(folder / "pairs" / PARQUET).names == names.split()


def test_pairs_load_with_datasets(folder: Path, built: Built, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    loaded = datasets.load_dataset(str(folder), "pairs", cache_dir=str(tmp_path / "cache"))
    assert loaded["test"].to_list() == [dict(row) for row in built.rows]


def rewritten(folder: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    path = folder / "pairs" / PARQUET
    parquet.write_table(change(parquet.ParquetFile(path).read()), path)


def _not_utf8() -> pa.Array:
    """A column of texts with a byte that is in none."""
    codes = pa.array([b"\xff", b"x"])
    return pa.Array.from_buffers(pa.string(), 2, codes.buffers())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t.drop_columns(["group"]), "no column group"),
        (lambda t: t.append_column("mine", [["x", "y"]]), "unknown column 'mine'"),
        (lambda t: t.append_column("id", [["x", "y"]]), "more than one column id"),
        (lambda t: t.set_column(1, "aae", t["aae"].cast("binary")), "aae is binary, not string"),
        (
            lambda t: t.set_column(1, "aae", t["aae"].cast("large_string")),
            "aae is large_string, not string",
        ),
        (
            lambda t: t.set_column(7, "aae_boundary", t["aae_boundary"].cast("int64")),
            "aae_boundary is int64, not int32",
        ),
        (lambda t: t.set_column(5, "split", [_not_utf8()]), "Invalid UTF8"),
        (lambda t: t.set_column(1, "aae", [[None, "x"]]), "empty cells in aae"),
        (lambda t: t.set_column(4, "naturalness", [["x", "y"]]), "other columns"),
        (lambda t: t.slice(1), "holds 1 pairs, its manifest.json says 2"),
        (lambda t: t.set_column(2, "sae", [["x y", "z"]]), "changed after they were built"),
    ],
)
def test_other_rows_are_refused(
    folder: Path, change: Callable[[pa.Table], pa.Table], said: str
) -> None:
    rewritten(folder, change)
    with pytest.raises(DataError, match=said):
        read_folder(folder)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"benchmark": "winobias"}, "benchmark is"),
        ({"text": "half"}, "text is"),
        ({"splits": {"testing": 3}}, "splits is"),
        ({"splits": {"tracing": -1}}, "splits is"),
        ({"segmentation": {"rho": 1}}, "segmentation is"),
        ({"configs": {"clean": {"rows": 1, "sha256": "0" * 64}}}, "configs is"),
        ({"configs": {"pairs": {"rows": True, "sha256": "0" * 64}}}, "configs is"),
        ({"aae_sha256": "x"}, "aae_sha256 is"),
        ({"sources": [{"name": "x"}]}, "sources is"),
        ({"notes": [1]}, "notes is"),
        ({"withheld": {"sae": 1}}, "withheld is"),
        ({"splitting": {"by": "hash", "sizes": {}}}, "splitting is"),
        ({"splitting": {"by": "hash", "seed": 0}}, "splitting is"),
        ({"splitting": {"by": "file", "sizes": {"tracing": "1"}}}, "splitting is"),
        *[({"splitting": {"by": "none", "seed": x}}, "splitting is") for x in (-1, [], "x", True)],
        ({"name": "a\x1b[31mb"}, r"name is .a\\u001b\[31mb"),
        ({"data_version": "1.0.0\u202e"}, r"data_version is .1\.0\.0\\u202e"),
        ({"sociolect_version": "0\x9b"}, "sociolect_version is"),
        ({"sources": [{"name": "x", "sha256": "", "url": "\x07"}]}, "sources is"),
        ({"segmentation": {"counts": {"a\nb": 1}}}, "segmentation is"),
        ({"segmentation": {"counts": {}, "encoder": {"name": ["\ud800"]}}}, "segmentation is"),
        ({"toolchain": {"torch\u2066": "2"}}, "toolchain is"),
        ({"dropped": [{"where": "x", "reason": "a\rb"}]}, "dropped is"),
    ],
)
def test_another_manifest_is_refused(folder: Path, changes: dict[str, Any], said: str) -> None:
    edit(folder, **changes)
    with pytest.raises(DataError, match=said):
        read_folder(folder)


def test_names_in_any_script_are_read(folder: Path) -> None:
    edit(folder, name="\u540d\u524d \u05e9\u05dd cafe\u0301 \U0001f468\u200d\U0001f469")
    assert read_folder(folder).manifest["name"].startswith("\u540d")


@pytest.mark.parametrize("content", ["", "[]", "{", '{"benchmark": "aae"}', "[" * 100_000])
def test_a_damaged_manifest_is_refused(folder: Path, content: str) -> None:
    (folder / MANIFEST).write_text(content, "utf-8")
    with pytest.raises(DataError, match="sociolect dialect build"):
        read_folder(folder)


def test_a_folder_without_pairs_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"it has no manifest\.json"):
        read_folder(tmp_path)
    (folder / "pairs" / PARQUET).write_bytes(b"PAR1 no")
    with pytest.raises(DataError, match="cannot be read"):
        read_folder(folder)
    (folder / "pairs" / PARQUET).unlink()
    with pytest.raises(DataError, match="is missing: the folder is incomplete"):
        read_folder(folder)


ROW = row_of(PAIRS[0])


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"id": " "}, "ids"),
        ({"aae": "  "}, "sides"),
        ({"sae": "\u200b\ufeff \u2060"}, "sides"),
        ({"sae": ROW["aae"] + " "}, "sides"),
        ({"sae": ROW["aae"].replace("work", "wo\u200brk")}, "sides"),
        ({"aae": "Caf\u00e9 be closed", "sae": "Cafe\u0301 be closed"}, "sides"),
        ({"split": "test"}, "splits"),
        ({"naturalness": 1.5}, "naturalness"),
        ({"naturalness": float("nan")}, "naturalness"),
        ({"aae_back": ""}, "naturalness"),
        ({"aae_boundary": 12}, "boundary"),
        ({"aae_boundary": 14}, "boundary"),
        ({"sae_boundary": 99}, "boundary"),
        ({"sae_boundary": 0}, "boundary"),
        ({"sae_boundary": None}, "boundary"),
        ({"aae_boundary": None, "sae_boundary": None}, "boundary"),
        ({"unsegmented": "why"}, "boundary"),
    ],
)
def test_a_wrong_row_is_found_and_not_written(
    changes: dict[str, Any], kind: str, built: Built, tmp_path: Path
) -> None:
    row = {**ROW, **changes}
    assert not list(row_faults([ROW]))
    assert kind in {fault.kind for fault in row_faults([row])}
    manifest = {**built.manifest, "configs": {"pairs": entry_of([row])}}
    with pytest.raises(DataError):
        write_folder(Built(manifest, (row,)), tmp_path / "x")
    assert not list(tmp_path.iterdir())


def test_an_id_occurs_once() -> None:
    (fault,) = row_faults([ROW, ROW])
    assert (fault.kind, fault.found) == ("ids", "a second time")


@given(st.text(" ab\n\u00a0.", max_size=8), st.integers(-2, 10))
def test_context_and_continuation_of_a_sound_boundary(text: str, boundary: int) -> None:
    if boundary_problem(text, boundary):
        return
    context, continuation = text[:boundary], text[boundary:]
    assert context == context.rstrip() != ""
    assert continuation.lstrip() not in ("", continuation)


def test_a_folder_that_holds_something_stays(built: Built, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="--overwrite"):
        write_folder(built, folder)
    other = assemble([replace(PAIRS[1], pair=PAIRS[1].pair)], name="other", segmentation={})
    write_folder(other, folder, overwrite=True)
    assert read_folder(folder).manifest["name"] == "other"
    (folder / "mine.txt").write_text("x")
    with pytest.raises(InvalidInputError, match=r"mine\.txt"):
        write_folder(built, folder, overwrite=True)
    with pytest.raises(InvalidInputError, match="is a file"):
        write_folder(built, folder / "mine.txt")
    (tmp_path / "else").mkdir()
    (tmp_path / "else/thing").write_text("x")
    with pytest.raises(InvalidInputError, match="no pairs but something else"):
        write_folder(built, tmp_path / "else", overwrite=True)


def test_a_folder_that_another_build_filled_meanwhile_stays(
    built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one ends while this one waits for the lock."""
    other = assemble(PAIRS[1:], name="other", segmentation={})

    @contextmanager
    def waited(target: Path) -> Iterator[None]:
        monkeypatch.undo()
        write_folder(other, target)
        yield

    monkeypatch.setattr("sociolect.generators.dialect.folder.only_one", waited)
    with pytest.raises(InvalidInputError, match="--overwrite"):
        write_folder(built, tmp_path / "pairs")
    assert read_folder(tmp_path / "pairs") == other


def test_a_build_that_fails_leaves_nothing(
    built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sociolect.generators.dialect.folder.write_rows", full)
    with pytest.raises(InvalidInputError, match="No space left"):
        write_folder(built, tmp_path / "pairs")
    assert not list(tmp_path.iterdir())


def test_one_hash_for_all_texts_in_the_order_of_ids() -> None:
    rows = [row_of(one) for one in PAIRS]
    assert aae_sha256(rows) == aae_sha256(rows[::-1])
    assert aae_sha256(rows) != aae_sha256(rows[:1])
    swapped = [{**rows[0], "aae": rows[1]["aae"]}, {**rows[1], "aae": rows[0]["aae"]}]
    assert aae_sha256(rows) != aae_sha256(swapped)


def test_the_card_escapes_names_and_reasons(tmp_path: Path) -> None:
    odd = replace(PAIRS[1], reason="a|b `c`\n<script>")
    write_folder(assemble([odd], name="x`|\n# <b>", segmentation={}), tmp_path / "odd")
    card = (tmp_path / "odd" / CARD).read_text("utf-8")
    assert r"| `a\|b 'c' <script>` | 1 |" in card
    assert "Corpus `x'| # <b>`." in card


def test_the_schema_says_which_cells_may_be_empty() -> None:
    types = {field.name: str(field.type) for field in schema()}
    assert types["naturalness"] == "double"
    assert types["aae_boundary"] == types["sae_boundary"] == "int32"
    assert {t for n, t in types.items() if n not in ("naturalness",) and "boundary" not in n} == {
        "string"
    }

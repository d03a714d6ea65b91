"""Every statement of a folder of pairs is derived again, and what is spoilt is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from sociolect.generators.dialect.build import Segmenter, build
from sociolect.generators.dialect.checks import verify
from sociolect.generators.dialect.corpus_at_hand import corpus_at_hand
from sociolect.generators.dialect.folder import Built, read_folder
from sociolect.generators.dialect.manifest import (
    aae_sha256,
    assemble,
    entry_of,
    split_sizes,
    unsegmented,
)
from sociolect.generators.dialect.pair_files import PairFile, read_pairs, write_pairs
from sociolect.generators.dialect.pairs import Boundaries, DialectPair, Segmented
from sociolect.generators.dialect.splits import Sizes
from sociolect.generators.errors import DataError, SourceError
from sociolect.generators.faults import KINDS
from sociolect.generators.layout import CARD, MANIFEST, PARQUET

Rows = list[dict[str, Any]]


@pytest.fixture
def file(tmp_path: Path) -> PairFile:
    pairs = [
        DialectPair(f"p{n:02}", f"He be at {n} all night", f"He is usually at {n} all night")
        for n in range(16)
    ]
    rated = [
        replace(p, aae_back=f"back {p.id}", naturalness=n / 3) for n, p in enumerate(pairs[:4])
    ]
    write_pairs([*rated, *pairs[4:]], tmp_path / "files/mine.jsonl")
    return read_pairs(tmp_path / "files/mine.jsonl")


@pytest.fixture
def folder(file: PairFile, tmp_path: Path) -> Path:
    def cut(pairs: Any) -> list[Segmented]:
        return [Segmented(p, Boundaries(p.aae.index(" a"), p.sae.index(" a"))) for p in pairs]

    sizes = Sizes(tracing=2, direction=4, selection=2, evaluation=4)
    build(file, tmp_path / "pairs", sizes=sizes, segmenter=Segmenter(cut, {"rho": 0.5}))
    return tmp_path / "pairs"


def spoil(folder: Path, change: Callable[[Rows], object], *, told: bool = True) -> None:
    """Change rows; the manifest follows in its hashes and counts, so that other checks find it."""
    from sociolect.generators.dialect.folder import manifest_bytes, write_rows

    built = read_folder(folder)
    rows = [dict(row) for row in built.rows]
    change(rows)
    (folder / "pairs" / PARQUET).unlink()
    (folder / "pairs").rmdir()
    write_rows(rows, folder / "pairs" / PARQUET)
    if told:
        manifest = {
            **built.manifest,
            "configs": {"pairs": entry_of(rows)},
            "splits": split_sizes(rows),
        }
        if not built.is_withheld:
            manifest["aae_sha256"] = aae_sha256(rows)
        (folder / MANIFEST).write_bytes(manifest_bytes(manifest))


def kinds(folder: Path, corpus: PairFile | None = None) -> dict[str, int]:
    report = verify(folder, corpus=corpus)
    assert set(report.counts) <= set(KINDS)
    return dict(report.counts)


def say(folder: Path, **changes: Any) -> None:
    path = folder / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")


def test_a_sound_folder(folder: Path, file: PairFile) -> None:
    report = verify(folder, corpus=file)
    assert report.is_sound
    assert (report.configs, report.rows, report.tools) == (("pairs",), 16, ())
    assert report.notes == ("boundaries were checked for form; they were not computed again",)
    assert any("not compared" in note for note in verify(folder).notes)


def test_rows_that_the_manifest_does_not_know(folder: Path) -> None:
    spoil(folder, lambda rows: rows.pop(), told=False)
    assert {"row count", "sha256", "manifest"} <= set(kinds(folder))


def test_counts_that_are_none_of_the_rows(folder: Path) -> None:
    say(folder, splits={"tracing": 16})
    say(folder, segmentation={"rho": 0.5, "counts": {"segmented": 15, "why": 1}})
    say(folder, aae_sha256="0" * 64)
    assert kinds(folder) == {"manifest": 2, "sha256": 1}


def test_unlike_continuations_that_are_none_of_the_rows(folder: Path) -> None:
    said = read_folder(folder).manifest["segmentation"]
    assert said["unlike"] == {"places": 0, "lengths": 0, "either": 0}
    say(folder, segmentation={**said, "unlike": {"places": 1, "lengths": 0, "either": 1}})
    assert kinds(folder) == {"manifest": 1}
    say(folder, segmentation={"rho": 0.5, "counts": said["counts"]})  # an older build
    assert kinds(folder) == {}


def test_segments_that_the_manifest_denies(folder: Path) -> None:
    say(folder, segmentation=None)
    assert kinds(folder) == {"manifest": 1}


def test_a_boundary_inside_a_word(folder: Path) -> None:
    def move(rows: Rows) -> None:
        rows[3]["aae_boundary"] -= 1
        rows[4]["sae_boundary"] = 500

    spoil(folder, move)
    assert kinds(folder) == {"boundary": 2}


def of_split(rows: Rows, split: str, *, rated: bool = False) -> dict[str, Any]:
    return next(r for r in rows if r["split"] == split and (r["naturalness"] is not None) == rated)


def test_a_text_in_two_splits(folder: Path) -> None:
    def share(rows: Rows) -> None:
        one, two = of_split(rows, "direction"), of_split(rows, "tracing")
        two.update(sae=f" {one['sae']}", sae_boundary=one["sae_boundary"] + 1)

    spoil(folder, share)
    assert "splits" in kinds(folder)


def test_a_group_in_two_splits(folder: Path) -> None:
    def share(rows: Rows) -> None:
        for split in ("direction", "evaluation"):
            of_split(rows, split, rated=split == "evaluation")["group"] = "g"

    spoil(folder, share)
    report = verify(folder)
    assert report.counts["splits"] >= 1
    assert any("both have this group" in fault.expected for fault in report.first)


def test_rated_pairs_where_directions_are_found(folder: Path) -> None:
    spoil(folder, lambda rows: of_split(rows, "evaluation", rated=True).update(split="direction"))
    assert kinds(folder) == {"naturalness": 1, "splits": 1}


def test_splits_are_derived_again(folder: Path) -> None:
    def swap(rows: Rows) -> None:
        one, two = of_split(rows, "direction"), of_split(rows, "tracing")
        one["split"], two["split"] = two["split"], one["split"]

    spoil(folder, swap)
    assert kinds(folder) == {"splits": 2}
    say(folder, splitting={"by": "hash", "seed": 0, "sizes": {"testing": 1}})
    assert kinds(folder) == {"manifest": 1}


def test_splits_of_another_version_are_not(folder: Path) -> None:
    spoil(folder, lambda rows: of_split(rows, "direction").update(split="selection"))
    say(folder, sociolect_version="0.0.1")
    assert kinds(folder) == {}
    assert any("made by version '0.0.1'" in note for note in verify(folder).notes)


@pytest.mark.parametrize("splitting", [{}, {"by": "me"}, {"by": ["hash"]}])
def test_where_splits_are_from_is_said(folder: Path, splitting: dict[str, Any]) -> None:
    say(folder, splitting=splitting)
    assert kinds(folder) == {"manifest": 1}


def test_splits_where_there_shall_be_none(folder: Path, file: PairFile) -> None:
    say(folder, splitting={"by": "none"})
    assert kinds(folder) == {"splits": 12}
    say(folder, splitting={"by": "file"})
    assert kinds(folder, file) == {"splits": 12}
    assert kinds(folder) == {}
    assert any("splits were not compared" in note for note in verify(folder).notes)
    assert not any("splits were" in note for note in verify(folder, corpus=file).notes)


def test_a_line_break_in_what_cards_and_tags_show(folder: Path) -> None:
    say(folder, licence="MIT\n")
    assert kinds(folder) == {"manifest": 1}
    say(folder, data_version="1.0.0\n")
    with pytest.raises(DataError, match="data_version is"):
        verify(folder)


def test_a_type_that_could_be_cast_is_a_fault(folder: Path) -> None:
    path = folder / "pairs" / PARQUET
    table = parquet.ParquetFile(path).read()
    parquet.write_table(table.set_column(1, "aae", table["aae"].cast("binary")), path)
    assert kinds(folder) == {"file": 1}


def test_rows_that_the_corpus_does_not_hold(folder: Path, file: PairFile) -> None:
    def change(rows: Rows) -> None:
        rows[5]["sae"] += " long"
        rows[6]["group"] = "mine"
        rows[7]["id"] = "other"

    spoil(folder, change)
    found = kinds(folder, file)
    assert found["source"] == 4  # text, group, one row too many and one too few
    other = replace(file, sources=(replace(file.source, sha256="1" * 64),), dropped=())
    assert kinds(folder, other)["source"] == 5


def test_a_missing_card_or_file(folder: Path) -> None:
    (folder / CARD).unlink()
    (folder / "pairs" / PARQUET).write_bytes(b"no")
    assert kinds(folder) == {"file": 2}
    (folder / MANIFEST).unlink()
    with pytest.raises(DataError):
        verify(folder)


def test_foreign_files_are_a_note(folder: Path) -> None:
    (folder / "mine.txt").write_text("x")
    assert any("mine.txt" in note for note in verify(folder).notes)


def test_withheld_texts_are_checked_once_they_are_here(file: PairFile, tmp_path: Path) -> None:
    build(file, tmp_path / "bare", sizes=None, withheld=True)
    assert any("withheld" in note for note in verify(tmp_path / "bare").notes)
    assert kinds(tmp_path / "bare", file) == {}
    other = replace(file, pairs=(replace(file.pairs[0], aae="He been there"), *file.pairs[1:]))
    assert kinds(tmp_path / "bare", other) == {"source": 1}
    spoil(tmp_path / "bare", lambda rows: rows[0].update(aae_back="he be at 3 ALL night"))
    assert kinds(tmp_path / "bare") == {}
    assert kinds(tmp_path / "bare", file) == {"sides": 1, "source": 2}
    spoil(tmp_path / "bare", lambda rows: rows[0].update(sae=""))
    assert kinds(tmp_path / "bare") == {"manifest": 1}
    spoil(tmp_path / "bare", lambda rows: rows[0].update(aae="He be at 0 all night"))
    assert kinds(tmp_path / "bare") == {"sides": 1, "manifest": 1}


def test_no_rows_are_a_fault(tmp_path: Path) -> None:
    from sociolect.generators.dialect.folder import write_folder

    write_folder(assemble([], name="none", notes={"splitting": {"by": "none"}}), tmp_path / "none")
    assert kinds(tmp_path / "none") == {"row count": 1}


def test_the_file_is_found_by_its_name(
    folder: Path,
    file: PairFile,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    manifest = read_folder(folder).manifest
    monkeypatch.delenv("SOCIOLECT_SOURCES", raising=False)
    assert corpus_at_hand(manifest, None) is None
    found = corpus_at_hand(manifest, tmp_path / "files")
    assert found is not None
    assert found.pairs == file.pairs
    with pytest.raises(SourceError, match=r"does not hold mine\.jsonl"):
        corpus_at_hand(manifest, tmp_path)
    monkeypatch.setenv("SOCIOLECT_SOURCES", str(tmp_path))
    assert corpus_at_hand(manifest, None) is None
    assert not capsys.readouterr().err  # nobody said that one's own file lies there
    corpus = {**manifest, "name": "redial", "sources": [{"name": "x", "sha256": "", "url": "u"}]}
    assert corpus_at_hand(corpus, None) is None
    assert "the source files are not used" in capsys.readouterr().err


def test_pairs_of_a_file_that_is_split_already_may_be_rated_anywhere(tmp_path: Path) -> None:
    rated = DialectPair("a", "She been knew", "She has known", "She been", 1.0, "direction")
    built = assemble(unsegmented([rated]), name="x", notes={"splitting": {"by": "file"}})
    from sociolect.generators.dialect.folder import write_folder

    write_folder(Built(built.manifest, built.rows), tmp_path / "x")
    assert kinds(tmp_path / "x") == {}

"""From pairs to a folder: splits, segmentation, texts withheld and put back."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sociolect.generators.dialect.build import (
    HABITUAL_SIZES,
    Segmenter,
    build,
    split,
    usual_sizes,
)
from sociolect.generators.dialect.corpora import load_pairs
from sociolect.generators.dialect.folder import Built, read_folder
from sociolect.generators.dialect.manifest import NOT_ASKED
from sociolect.generators.dialect.pair_diff import compare_pairs
from sociolect.generators.dialect.pair_files import PairFile, read_pairs, write_pairs
from sociolect.generators.dialect.pairs import Boundaries, DialectPair, Segmented
from sociolect.generators.dialect.splits import Sizes
from sociolect.generators.dialect.withheld import restore, withhold
from sociolect.generators.errors import InvalidInputError, SourceError

SIZES = Sizes(tracing=4, direction=8, selection=4, evaluation=8)


def pair(number: int, **changes: object) -> DialectPair:
    made = DialectPair(
        f"p{number:02}",
        f"He be working number {number} all night",
        f"He usually works number {number} all night",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.fixture
def file(tmp_path: Path) -> PairFile:
    rated = [pair(n, aae_back=f"He be at {n}", naturalness=1.0) for n in range(20, 24)]
    path = tmp_path / "home" / "mine.jsonl"
    write_pairs([*(pair(n) for n in range(20)), *rated], path)
    with path.open("a", encoding="utf-8") as stream:
        stream.write('{"id": "none", "aae": "", "sae": "x (y)"}\n')
    return read_pairs(path)


def segments(pairs: Sequence[DialectPair]) -> list[Segmented]:
    """The first words of each text; the last pair has none."""
    done = [Segmented(p, Boundaries(p.aae.index(" n"), p.sae.index(" n"))) for p in pairs]
    return [*done[:-1], Segmented(pairs[-1], None, "no words are aligned")]


def test_a_whole_build(file: PairFile, tmp_path: Path) -> None:
    segmenter = Segmenter(segments, {"rho": 0.5})
    built = build(file, tmp_path / "out", sizes=SIZES, segmenter=segmenter, licence="CC0-1.0")
    assert read_folder(tmp_path / "out") == built
    manifest = built.manifest
    assert (manifest["name"], manifest["licence"]) == ("mine", "CC0-1.0")
    assert manifest["splits"] == {
        "tracing": 4,
        "direction": 8,
        "selection": 4,
        "evaluation": 8,
    }
    assert manifest["segmentation"] == {
        "rho": 0.5,
        "counts": {"segmented": 23, "no words are aligned": 1},
        "unlike": {"places": 0, "lengths": 0, "either": 0},  # 3 of 7 and 3 of 7 words
    }
    assert manifest["splitting"]["by"] == "hash"
    rated = Counter(row["split"] for row in built.rows if row["naturalness"] is not None)
    assert rated == {"evaluation": 4}


def test_where_files_lay_is_not_written(file: PairFile, tmp_path: Path) -> None:
    built = build(file, tmp_path / "out", sizes=None)
    assert built.manifest["dropped"] == [
        {"where": "mine.jsonl:25 (none)", "reason": "the AAE side is empty"}
    ]
    assert str(tmp_path) not in (tmp_path / "out/manifest.json").read_text("utf-8")


def test_without_splits_and_segments(file: PairFile, tmp_path: Path) -> None:
    built = build(file, tmp_path / "out", sizes=None)
    assert built.manifest["splits"] == {}
    assert built.manifest["segmentation"] is None
    assert built.manifest["toolchain"] == {}
    assert {row["unsegmented"] for row in built.rows} == {NOT_ASKED}
    assert {row["split"] for row in built.rows} == {""}


def test_splits_of_the_file_are_kept() -> None:
    pairs = [pair(0, split="tracing"), pair(1, split="evaluation")]
    done = split(pairs, SIZES)
    assert (list(done.pairs), done.how) == (pairs, {"by": "file"})
    assert [p.split for p in split(pairs, None).pairs] == ["", ""]


def test_a_seed_gives_other_splits(file: PairFile) -> None:
    zero, again, one = (split(file.pairs, SIZES, seed) for seed in (0, 0, 1))
    assert zero == again
    assert zero.pairs != one.pairs


def test_nothing_is_segmented_for_a_folder_that_is_taken(file: PairFile, tmp_path: Path) -> None:
    def never(pairs: Sequence[DialectPair]) -> list[Segmented]:
        raise AssertionError(pairs)

    build(file, tmp_path / "out", sizes=None)
    with pytest.raises(InvalidInputError, match="--overwrite"):
        build(file, tmp_path / "out", sizes=None, segmenter=Segmenter(never, {}))


def test_a_corpus_has_one_licence(file: PairFile, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="mine is under MIT, not GPL"):
        build(replace(file, licence="MIT"), tmp_path / "out", sizes=None, licence="GPL-3.0")


def whole(file: PairFile, tmp_path: Path) -> Built:
    return build(file, tmp_path / "whole", sizes=SIZES, segmenter=Segmenter(segments, {}))


def test_a_version_of_its_own(file: PairFile, tmp_path: Path) -> None:
    built = build(file, tmp_path / "out", sizes=None, data_version="1.2.0")
    assert read_folder(tmp_path / "out").manifest["data_version"] == "1.2.0"
    assert built.manifest["data_version"] == "1.2.0"
    for wrong in ("1.2", "v1.2.0", "01.2.0", "1.2.0\n", ""):
        with pytest.raises(InvalidInputError, match=r"X\.Y\.Z"):
            build(file, tmp_path / "other", sizes=None, data_version=wrong)


def test_texts_withheld_come_back_equal(file: PairFile, tmp_path: Path) -> None:
    built = whole(file, tmp_path)
    bare = withhold(built)
    assert {row["aae"] for row in bare.rows} == {""}
    assert bare.manifest["aae_sha256"] == built.manifest["aae_sha256"]
    assert bare.manifest["configs"] != built.manifest["configs"]
    assert restore(bare, (*reversed(file.pairs), pair(99))) == built


def test_withheld_folders_hold_no_aae(file: PairFile, tmp_path: Path) -> None:
    out = tmp_path / "bare"
    build(file, out, sizes=SIZES, withheld=True)
    assert read_folder(out).is_withheld
    for path in (p for p in out.rglob("*") if p.is_file()):
        assert b"be working" not in path.read_bytes(), path.name
    text = (out / "README.md").read_text("utf-8")
    assert "sociolect dialect restore" in text


def test_other_texts_are_refused(file: PairFile, tmp_path: Path) -> None:
    bare = withhold(whole(file, tmp_path))
    changed = [replace(file.pairs[0], aae=file.pairs[0].aae + "!"), *file.pairs[1:]]
    with pytest.raises(SourceError, match="not those that the folder was built from"):
        restore(bare, changed)
    with pytest.raises(SourceError, match="1 of 24 pairs are not in the file, the first is 'p00'"):
        restore(bare, file.pairs[1:])


def grouped(file: PairFile) -> PairFile:
    """Pairs whose groups are names, and one back-translation that is an AAE text."""
    first = replace(file.pairs[20], aae_back=file.pairs[3].aae.upper())
    pairs = (*file.pairs[:20], first, *file.pairs[21:])
    return replace(file, pairs=tuple(replace(p, group=f"@{p.id[:2]}") for p in pairs))


def test_names_of_groups_are_withheld(file: PairFile, tmp_path: Path) -> None:
    named = grouped(file)
    built = build(named, tmp_path / "whole", sizes=None)
    bare = withhold(built)
    assert [row["group"] for row in bare.rows] == ["1"] * 10 + ["2"] * 10 + ["3"] * 4
    assert restore(bare, named.pairs) == built
    without = restore(bare, [replace(p, group="") for p in named.pairs])
    assert [row["group"] for row in without.rows] == [row["group"] for row in bare.rows]
    assert [row["aae_back"] for row in without.rows] == [row["aae_back"] for row in built.rows]
    with pytest.raises(SourceError, match="the groups are not those"):
        restore(bare, [replace(p, group="g") for p in named.pairs])


def test_back_translations_left_out_come_from_the_file(file: PairFile, tmp_path: Path) -> None:
    named = grouped(file)
    bare = withhold(build(named, tmp_path / "whole", sizes=None))
    assert [row["aae_back"] for row in bare.rows][20:22] == ["", "He be at 21"]
    with pytest.raises(SourceError, match="with all its columns"):
        restore(bare, [replace(p, aae_back="") for p in named.pairs])


def test_only_what_was_withheld_is_put_back(file: PairFile, tmp_path: Path) -> None:
    built = whole(file, tmp_path)
    with pytest.raises(InvalidInputError, match="nothing to put back"):
        restore(built, file.pairs)
    with pytest.raises(InvalidInputError, match="left out already"):
        withhold(withhold(built))


def test_two_versions_are_compared(file: PairFile, tmp_path: Path) -> None:
    whole(file, tmp_path)
    build(file, tmp_path / "bare", sizes=SIZES, withheld=True)
    same = compare_pairs(tmp_path / "whole", tmp_path / "whole")
    assert (same.is_equal, same.unchanged) == (True, ("pairs",))
    found = compare_pairs(tmp_path / "whole", tmp_path / "bare", show=1)
    assert [f.name for f in found.facts if f.name == "text"] == ["text"]
    (change,) = found.changed
    assert change.columns["aae"] == 24
    assert change.columns["sae_boundary"] == 23
    assert len(change.rows_changed) == 24
    assert [(t.column, t.after) for t in change.examples] == [("aae", "")]


def corpus(name: str) -> PairFile:
    folder = os.environ.get("SOCIOLECT_SOURCES")
    if not folder or not (Path(folder) / "redial").is_dir():
        pytest.skip("SOCIOLECT_SOURCES names no folder with ReDial")
    return load_pairs(name)


def test_redial_in_small_splits(tmp_path: Path) -> None:
    file = corpus("redial")
    built = build(file, tmp_path / "out", sizes=usual_sizes(file))
    sizes = built.manifest["splits"]
    assert sum(sizes.values()) == len(built.rows) == len(file.pairs)
    assert sizes["direction"] > sizes["evaluation"] > sizes["tracing"] > 50
    assert built.manifest["licence"] == "MIT"


def test_habitual_pairs_are_for_directions_only(tmp_path: Path) -> None:
    file = corpus("habitual")
    assert usual_sizes(file) == HABITUAL_SIZES
    built = build(file, tmp_path / "out", sizes=usual_sizes(file))
    assert built.manifest["splits"] == {"direction": 699}


def test_a_file_of_that_name_is_no_corpus(file: PairFile) -> None:
    assert usual_sizes(replace(file, name="habitual")) == Sizes()

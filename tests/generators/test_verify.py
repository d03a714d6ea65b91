"""Every kind of fault is found in a build that was spoilt, and none in a sound one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.build import build
from sociolect.generators.conditions import Condition, conditions
from sociolect.generators.errors import DataError, InvalidInputError
from sociolect.generators.faults import KINDS, Ledger, shown_difference
from sociolect.generators.manifest import MANIFEST, PARQUET, toolchain
from sociolect.generators.rebuild import rebuild
from sociolect.generators.rows import Row, config_sha256
from sociolect.generators.stored import columns
from sociolect.generators.verify import Report, ToolDifference, verify
from sociolect.generators.withheld import strip_manifest, strip_rows

MINI = "occupations_mini"
CONFIGS = [
    *conditions(["l2"], [5, 10], ["input", "instruction", "both"]),
    Condition("l2verb", 20),  # out of reach
    Condition("l2det", 30, "instruction"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("verify") / "mini"
    build(MINI, CONFIGS, out=out, skip_unreachable=True)
    return out


@pytest.fixture
def copy(built: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "copy"
    shutil.copytree(built, folder)
    return folder


def read(folder: Path, config: str) -> list[Row]:
    rows: list[Row] = parquet.read_table(folder / config / PARQUET).to_pylist()
    return rows


def write(folder: Path, config: str, rows: Sequence[Row]) -> None:
    table = pa.Table.from_pylist(list(rows), schema=columns("input" not in rows[0]))
    parquet.write_table(table, folder / config / PARQUET)


def edit_manifest(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / MANIFEST
    manifest = json.loads(path.read_text("utf-8"))
    change(manifest)
    path.write_text(json.dumps(manifest), "utf-8")


def spoil(
    folder: Path, config: str, change: Callable[[list[Row]], object], *, rehash: bool = True
) -> None:
    """Change rows; with `rehash` the manifest's hash follows, so that other checks must find it."""
    rows = read(folder, config)
    change(rows)
    write(folder, config, rows)
    if rehash:
        digest = config_sha256(rows)
        edit_manifest(folder, lambda m: m["configs"][config].update(sha256=digest))


def counts(folder: Path, **options: Any) -> dict[str, int]:
    report = verify(folder, **options)
    assert set(report.counts) <= set(KINDS)
    assert [f.kind for f in report.first] == list(report.counts)
    return dict(report.counts)


def first(report: Report, kind: str) -> Any:
    return next(f for f in report.first if f.kind == kind)


def with_edit(rows: Sequence[Row], part: str = "input", operation: str = "replacement") -> int:
    """Index of a row that has such an edit."""
    return next(
        i
        for i, r in enumerate(rows)
        if any(e["part"] == part and e["operation"] == operation for e in r["edits"])
    )


def edit_of(row: Row, part: str = "input", operation: str = "replacement") -> dict[str, Any]:
    found: dict[str, Any] = next(
        e for e in row["edits"] if e["part"] == part and e["operation"] == operation
    )
    return found


def test_a_sound_build_has_no_fault(built: Path) -> None:
    report = verify(built, benchmark=load_benchmark(MINI))
    assert report.is_sound
    assert report.first == ()
    assert len(report.configs) == 7
    assert report.configs[0] == "clean"
    assert report.rows == 7 * 128
    assert report.tools == ()
    assert report.notes == ()


def test_what_was_not_looked_at_is_said(built: Path) -> None:
    (note,) = verify(built).notes
    assert "--sources" in note


def test_foreign_files_are_a_note(copy: Path) -> None:
    (copy / "mine.txt").write_text("x", "utf-8")
    report = verify(copy)
    assert report.is_sound
    assert any("mine.txt" in note for note in report.notes)


def test_a_folder_without_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no manifest"):
        verify(tmp_path)


def test_another_benchmark_is_refused(built: Path) -> None:
    other = replace(load_benchmark(MINI), name="winobias")
    with pytest.raises(InvalidInputError, match="winobias"):
        verify(built, benchmark=other)


def test_a_missing_file(copy: Path) -> None:
    (copy / "l2-10" / PARQUET).unlink()
    report = verify(copy)
    assert dict(report.counts) == {"file": 1}
    assert report.first[0].config == "l2-10"


def test_a_damaged_file(copy: Path) -> None:
    (copy / "l2-10" / PARQUET).write_bytes(b"PAR1")
    assert counts(copy) == {"file": 1}


def test_a_missing_card(copy: Path) -> None:
    (copy / "README.md").unlink()
    assert counts(copy) == {"file": 1}


@pytest.mark.parametrize("kind", ["missing", "unknown", "type", "empty", "empty field"])
def test_columns(copy: Path, kind: str) -> None:
    path = copy / "l2-10" / PARQUET
    table = parquet.read_table(path)
    if kind == "missing":
        table = table.drop_columns(["gold"])
    elif kind == "unknown":
        table = table.append_column("more", pa.array([1] * len(table)))
    elif kind == "type":
        at = table.schema.get_field_index("gold")
        table = table.set_column(at, "gold", pa.array(["x"] * len(table)))
    elif kind == "empty":
        at = table.schema.get_field_index("question")
        table = table.set_column(at, "question", pa.array([None] * len(table), pa.string()))
    else:
        rows = table.to_pylist()
        edit_of(rows[with_edit(rows)])["type"] = None
        table = pa.Table.from_pylist(rows, schema=table.schema)
    parquet.write_table(table, path)
    assert counts(copy) == {"columns": 1}


def test_the_number_of_rows_and_their_ids(copy: Path) -> None:
    spoil(copy, "l2-10", lambda rows: rows.pop())
    found = counts(copy)
    assert found.pop("row count") == 1
    assert found.pop("ids") == 1
    assert set(found) <= {"mean rate", "union"}


def test_the_hash(copy: Path) -> None:
    spoil(copy, "clean", lambda rows: rows[5].update(seed=0), rehash=False)
    assert counts(copy) == {}
    edit_manifest(copy, lambda m: m["configs"]["clean"].update(sha256="0" * 64))
    report = verify(copy)
    assert dict(report.counts) == {"sha256": 1}
    assert report.first[0].expected == "0" * 64


def test_ids_in_another_order(copy: Path) -> None:
    spoil(copy, "l2-10", lambda rows: rows.insert(0, rows.pop(1)))
    assert counts(copy) == {"ids": 1}


def test_doubled_ids(copy: Path) -> None:
    def change(rows: list[Row]) -> None:
        rows[3]["id"] = rows[2]["id"]

    spoil(copy, "l2-5", change)
    assert counts(copy)["ids"] == 2  # one twice, one lost


@pytest.mark.parametrize("column", ["seed", "level", "part", "transform", "benchmark", "axis"])
def test_the_condition_of_a_row(copy: Path, column: str) -> None:
    def change(rows: list[Row]) -> None:
        rows[4][column] = 7 if isinstance(rows[4][column], int) else "other"

    spoil(copy, "l2-10", change)
    report = verify(copy)
    assert dict(report.counts) == {"condition": 1}
    assert report.first[0].id == read(copy, "l2-10")[4]["id"]
    assert report.first[0].what == column


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("gold", 9), ("target_option", -1), ("question", "Who?"), ("options", ["a", "b"])),
        ("member", "neither"),
    ],
)
def test_a_fixed_column(copy: Path, column: str, value: object) -> None:
    spoil(copy, "l2-10", lambda rows: rows[6].update({column: value}))
    assert counts(copy) == {"fixed column": 1}


def test_a_text_that_its_edits_do_not_give(copy: Path) -> None:
    def change(rows: list[Row]) -> None:
        rows[8]["input"] += " More."

    spoil(copy, "l2-10-instruction", change)
    report = verify(copy)
    assert dict(report.counts) == {"text": 1}
    fault = report.first[0]
    assert (fault.config, fault.id) == ("l2-10-instruction", read(copy, "clean")[8]["id"])
    assert "More" in fault.found
    assert "More" not in fault.expected


def test_an_edit_with_another_original(copy: Path) -> None:
    def change(rows: list[Row]) -> None:
        edit = edit_of(rows[with_edit(rows)])
        edit["original"] = "x" * len(edit["original"])

    spoil(copy, "l2-10", change)
    assert counts(copy)["text"] == 1


def test_an_edit_that_overlaps_another(copy: Path) -> None:
    def change(rows: list[Row]) -> None:
        row = rows[with_edit(rows)]
        row["edits"].append(dict(edit_of(row)))

    spoil(copy, "l2-10", change)
    report = verify(copy)
    assert "overlap" in first(report, "text").found


@pytest.mark.parametrize(
    "change", [{"type": "typo"}, {"part": "instruction"}, {"part": "title"}, {"end": -5}]
)
def test_edits_that_the_condition_does_not_make(copy: Path, change: dict[str, Any]) -> None:
    spoil(copy, "l2-10", lambda rows: edit_of(rows[with_edit(rows)]).update(change))
    assert counts(copy)["edit"] == 1


def test_an_edit_on_a_protected_span(copy: Path) -> None:
    def change(rows: list[Row]) -> None:
        row = rows[with_edit(rows)]
        edit = edit_of(row)
        row["protected"].append({"part": "input", "start": edit["start"], "end": edit["end"]})

    spoil(copy, "l2-10", change)
    assert counts(copy)["protected"] >= 1


def test_a_no_op(copy: Path) -> None:
    def change(rows: list[Row]) -> None:
        row = rows[with_edit(rows)]
        edit = edit_of(row)
        at = row["input"].index(edit["replacement"])
        after = row["input"][at + len(edit["replacement"]) :]
        row["input"] = row["input"][:at] + edit["original"] + after
        edit["replacement"] = edit["original"]

    spoil(copy, "l2-10", change)
    found = counts(copy)
    assert found["no-op"] == 1
    assert found["rate"] >= 1


def test_a_new_clash(copy: Path) -> None:
    def change(rows: list[Row]) -> None:
        for row in rows:
            row["input"] = "An " + row["input"]
            row["edits"] = [_inserted("input", "An ")]

    spoil(copy, "l2-5", change)
    assert counts(copy)["clash"] > 50


def _inserted(part: str, text: str) -> dict[str, Any]:
    return {
        **{"part": part, "start": 0, "end": 0, "original": "", "replacement": text},
        **{"type": "det", "operation": "insertion", "subtype": ""},
    }


@pytest.mark.parametrize(
    "column", ["error_rate", "error_rate_instruction", "error_rate_input", "n_tokens", "n_edits"]
)
def test_rates_and_counts_of_a_row(copy: Path, column: str) -> None:
    spoil(copy, "l2-10", lambda rows: rows[9].update({column: rows[9][column] + 1}))
    report = verify(copy)
    assert first(report, "rate").what == column
    assert report.counts["rate"] == 1
    assert set(report.counts) <= {"rate", "mean rate"}


def test_a_rate_that_is_no_number(copy: Path) -> None:
    spoil(copy, "l2-10", lambda rows: rows[9].update(error_rate=float("nan")))
    assert counts(copy) == {"rate": 1, "mean rate": 1}


def test_members_with_other_edits(copy: Path) -> None:
    def change(rows: list[Row]) -> None:
        index = with_edit(rows)
        rows[index]["edits"] = [dict(e) for e in rows[index]["edits"]]
        edit = edit_of(rows[index])
        edit["type"], edit["subtype"] = ("det", "") if edit["type"] != "det" else ("prep", "")

    spoil(copy, "l2-10", change)
    assert counts(copy)["pair"] == 1


def test_members_that_differ_in_more_than_protected_words(copy: Path) -> None:
    for config in ("clean", "l2-5", "l2-10"):
        spoil(copy, config, lambda rows: rows[1].update(input=rows[1]["input"] + " So."))
    assert verify(copy).counts["pair"] == 3


def test_an_invalid_pair_may_differ(copy: Path) -> None:
    def change(rows: list[Row]) -> None:
        rows[0]["pair_valid"] = rows[1]["pair_valid"] = False
        rows[1]["input"] += " So."

    for config in ("clean", "l2-5", "l2-10"):
        spoil(copy, config, change)
    assert "pair" not in verify(copy).counts


def test_levels_are_nested(copy: Path) -> None:
    rows = read(copy, "l2-5")

    def change(above: list[Row]) -> None:
        index = with_edit(rows)
        for at in (index, index + 1 if index % 2 == 0 else index - 1):
            above[at] = {**read(copy, "clean")[at], "transform": "l2", "level": 10}

    spoil(copy, "l2-10", change)
    found = counts(copy)
    assert found["nested"] == 2
    assert found["union"] == 2
    assert "text" not in found


def test_errors_in_both_parts_are_those_of_each(copy: Path) -> None:
    def change(rows: list[Row]) -> None:
        for row in rows:
            row["edits"] = [e for e in row["edits"] if e["part"] == "instruction"]
            row["input"] = clean[row["id"]]

    clean = {row["id"]: row["input"] for row in read(copy, "clean")}
    spoil(copy, "l2-5-both", change)
    assert counts(copy)["union"] > 20


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        ("mean_error_rate", 0.2, "mean rate"),
        ("mean_error_rate_by_part", {"input": 0.11}, "mean rate"),
        ("rows", 5, "row count"),
        ("rows", "5", "manifest"),
        ("sha256", None, "manifest"),
        ("rules", "careful", "manifest"),
        ("level", 20, "manifest"),
        ("ceiling", {}, "manifest"),
        ("ceiling", {"input": "high"}, "manifest"),
        ("mix", [], "mix"),
        ("mix", [3], "mix"),
        ("at_ceiling", True, "ceiling"),
        ("ceiling", {"input": 0.05}, "ceiling"),
    ],
)
def test_what_the_manifest_says_of_a_config(copy: Path, key: str, value: object, kind: str) -> None:
    edit_manifest(copy, lambda m: m["configs"]["l2-10"].update({key: value}))
    assert kind in counts(copy)


def test_an_entry_that_is_no_table(copy: Path) -> None:
    edit_manifest(copy, lambda m: m["configs"].update({"l2-10": 3}))
    with pytest.raises(DataError, match="configs is"):
        counts(copy)


@pytest.mark.parametrize("value", [None, 3, ["l2-30"]])
def test_unreachable_levels_that_are_no_table(copy: Path, value: object) -> None:
    edit_manifest(copy, lambda m: m.update(unreachable=value))
    with pytest.raises(DataError, match="unreachable is"):
        counts(copy)


def test_a_realised_mix_that_is_not_that_of_the_rows(copy: Path) -> None:
    def change(manifest: dict[str, Any]) -> None:
        manifest["configs"]["l2-10"]["mix"][0]["count"] += 1

    edit_manifest(copy, change)
    assert counts(copy) == {"mix": 1}


def test_a_config_of_no_condition(copy: Path) -> None:
    edit_manifest(copy, lambda m: m["configs"].update({"l3-10": {}}))
    assert counts(copy) == {"manifest": 1}


def test_a_build_without_clean_config(copy: Path) -> None:
    edit_manifest(copy, lambda m: m["configs"].pop("clean"))
    report = verify(copy)
    assert dict(report.counts) == {"manifest": 1}


@pytest.mark.parametrize(
    ("unreachable", "kind"),
    [("l2-10", "ceiling"), ("l2-20", "ceiling"), ("l3-10", "manifest")],
)
def test_levels_that_are_said_to_be_out_of_reach(copy: Path, unreachable: str, kind: str) -> None:
    edit_manifest(copy, lambda m: m["unreachable"].update({unreachable: "too high"}))
    assert counts(copy) == {kind: 1}


def test_other_tools_are_no_fault(copy: Path) -> None:
    edit_manifest(copy, lambda m: m["toolchain"].update(spacy="3.0.0"))
    report = verify(copy)
    assert report.is_sound
    assert report.tools == (ToolDifference("spacy", "3.0.0", toolchain()["spacy"]),)


def test_clean_rows_against_the_source(copy: Path) -> None:
    benchmark = load_benchmark(MINI)
    pair = replace(benchmark.pairs[0], valid=False, note="another note")
    changed = replace(benchmark, pairs=(pair, *benchmark.pairs[1:]), sources=())
    report = verify(copy, benchmark=changed)
    assert dict(report.counts) == {"source": 4}  # a file, the invalid pairs, two rows
    fewer = replace(benchmark, pairs=benchmark.pairs[1:])
    assert verify(copy, benchmark=fewer).counts["source"] == 2
    turned = replace(benchmark, pairs=benchmark.pairs[::-1])
    assert dict(verify(copy, benchmark=turned).counts) == {"source": 1}


@pytest.fixture
def withheld(copy: Path) -> Path:
    """The build as a release without texts."""
    for config in json.loads((copy / MANIFEST).read_text("utf-8"))["configs"]:
        write(copy, config, strip_rows(read(copy, config)))
    edit_manifest(copy, lambda m: m.update(strip_manifest(m)))
    return copy


def test_withheld_texts_are_checked_as_far_as_possible(withheld: Path) -> None:
    report = verify(withheld)
    assert report.is_sound
    assert any("withheld" in note for note in report.notes)
    spoil(withheld, "l2-10", lambda rows: rows[0].update(n_edits=99), rehash=False)
    assert dict(verify(withheld).counts) == {"rate": 1}


def test_withheld_texts_are_checked_whole_with_the_source(withheld: Path) -> None:
    benchmark = load_benchmark(MINI)
    report = verify(withheld, benchmark=benchmark)
    assert report.is_sound
    assert report.notes == ()
    spoil(withheld, "l2-10", lambda rows: rows[9].update(error_rate_input=0.5), rehash=False)
    found = verify(withheld, benchmark=benchmark).counts
    assert set(found) == {"rate", "sha256", "mean rate"}


def test_an_edit_on_a_protected_span_is_seen_without_texts(withheld: Path) -> None:
    def change(rows: list[Row]) -> None:
        row = rows[with_edit(rows)]
        edit = edit_of(row)
        row["protected"].append({"part": "input", "start": edit["start"], "end": edit["end"]})

    spoil(withheld, "l2-10", change, rehash=False)
    assert verify(withheld).counts["protected"] == 1


def test_text_that_should_have_been_withheld_is_found(withheld: Path, built: Path) -> None:
    write(withheld, "l2-10", read(built, "l2-10"))
    report = verify(withheld)
    assert dict(report.counts) == {"columns": 1}
    assert "input" in report.first[0].found


def test_a_source_that_does_not_fit_withheld_rows(withheld: Path) -> None:
    benchmark = load_benchmark(MINI)
    fewer = replace(benchmark, pairs=benchmark.pairs[1:])
    assert verify(withheld, benchmark=fewer).counts["source"] >= 7


def test_a_rebuild_is_identical(built: Path) -> None:
    again = rebuild(built)
    assert again.is_identical
    assert again.versions == {}
    assert "l2-10-both" in again.configs


def test_a_rebuild_names_what_differs(copy: Path) -> None:
    def change(manifest: dict[str, Any]) -> None:
        manifest["configs"]["l2-10"]["sha256"] = "0" * 64
        manifest["data_version"] = "0.9.0"

    edit_manifest(copy, change)
    again = rebuild(copy)
    assert not again.is_identical
    assert list(again.differ) == ["l2-10"]
    assert again.differ["l2-10"][0] == "0" * 64
    assert again.versions["data_version"][0] == "0.9.0"


def test_a_rebuild_needs_hashes(copy: Path) -> None:
    edit_manifest(copy, lambda m: m["configs"]["l2-10"].pop("sha256"))
    with pytest.raises(DataError, match="l2-10"):
        rebuild(copy)


def test_the_first_fault_of_a_kind_is_kept() -> None:
    ledger = Ledger()
    from sociolect.generators.faults import Fault

    ledger.add(Fault("text", "c", str(i), "w", "e", "f") for i in range(3))
    assert ledger.counts == {"text": 3}
    assert ledger.first["text"].id == "0"
    assert str(ledger.first["text"]) == "c 0: w: expected e, found f"


def test_differences_are_shown_where_they_are() -> None:
    expected, found = shown_difference("a" * 100 + "b", "a" * 100 + "c" * 99)
    assert expected.endswith("aab'")
    assert found.startswith("…'aaa")
    assert found.endswith("ccc'…")
    assert shown_difference("ab", "abc") == ("'ab'", "'abc'")

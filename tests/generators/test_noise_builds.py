"""Surface noise from the build to the release: one folder, spoilt in every way."""

from __future__ import annotations

import copy
import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pytest
from pyarrow import parquet

from sociolect.generators.audit import audit_noise
from sociolect.generators.benchmarks import load_benchmark
from sociolect.generators.build import build
from sociolect.generators.conditions import JUDGED, Condition, conditions, conditions_of
from sociolect.generators.errors import DataError, InvalidInputError, UnknownNameError
from sociolect.generators.manifest import MANIFEST, PARQUET, read_manifest
from sociolect.generators.noise.options import NoiseOptions
from sociolect.generators.noise.realised import CHANGES, realised
from sociolect.generators.rebuild import rebuild
from sociolect.generators.relations import Relations
from sociolect.generators.release import make_release
from sociolect.generators.rows import RATES, Row, config_sha256, edits_of, schema
from sociolect.generators.stored import columns, read_config
from sociolect.generators.text import apply, invert
from sociolect.generators.verify import verify
from sociolect.generators.version_diff import compare_versions
from sociolect.generators.withheld import restore_rows, strip_rows

MINI = "occupations_mini"
CONFIGS = [*conditions(["typo", "punct", "combined"], [30, 100], ["input"]), Condition("l2det", 10)]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("noise") / "mini"
    build(MINI, CONFIGS, out=out)
    return out


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "copy"))


@pytest.fixture(scope="module")
def rows(built: Path) -> tuple[Row, ...]:
    return read_config(built, "combined-30").rows


def spoil(folder: Path, config: str, change: Callable[[list[Row]], object]) -> None:
    """Change rows, and the hash in the manifest, so that other checks must find it."""
    path = folder / config / PARQUET
    rows: list[Row] = parquet.read_table(path).to_pylist()
    change(rows)
    parquet.write_table(pa.Table.from_pylist(rows, schema=columns(False, noise=True)), path)
    edit_manifest(folder, lambda m: m["configs"][config].update(sha256=config_sha256(rows)))


def edit_manifest(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    change(manifest)
    (folder / MANIFEST).write_text(json.dumps(manifest), "utf-8")


def kinds(folder: Path) -> set[str]:
    return set(verify(folder).counts)


def test_rows_say_what_the_noise_changed(built: Path, rows: Sequence[Row]) -> None:
    assert list(rows[0]) == schema(noise=True).names
    assert set(CHANGES) <= set(rows[0])
    assert not set(RATES) & set(rows[0])
    for row in rows[:10]:
        clean = invert(row["input"], edits_of(row))
        assert row["n_tokens"] == len(clean.split())
        assert row["n_edits"] == len(row["edits"])
        assert row["length_ratio"] == pytest.approx(len(row["input"]) / len(clean))
    entry = read_manifest(built)["configs"]["combined-30"]
    mean = sum(row["token_change"] for row in rows) / len(rows)
    assert entry["token_change"] == pytest.approx(mean)
    assert 0.2 < entry["token_change"] < 0.6


def test_the_mix_counts_one_member_of_a_pair(built: Path, rows: Sequence[Row]) -> None:
    entry = read_manifest(built)["configs"]["combined-30"]
    counted = Counter((e["type"], e["operation"], e["subtype"]) for r in rows for e in r["edits"])
    found = {(m["type"], m["operation"], m["subtype"]): m["count"] for m in entry["mix"]}
    assert {kind: 2 * count for kind, count in found.items()} == counted
    assert sum(m["share"] for m in entry["mix"]) == pytest.approx(1)
    assert {m["type"] for m in entry["mix"]} == {"typo", "informal", "punct"}


def test_a_sound_build_is_sound_and_is_made_again_alike(built: Path) -> None:
    report = verify(built, benchmark=load_benchmark(MINI))
    assert report.is_sound, report.first
    assert report.rows == 8 * 128
    assert rebuild(built).is_identical


def test_configs_load_for_users(built: Path, tmp_path: Path) -> None:
    loaded = datasets.load_dataset(str(built), "typo-100", cache_dir=str(tmp_path))["test"]
    assert loaded.num_rows == 128
    assert "token_change" in loaded.column_names
    card = (built / "README.md").read_text("utf-8")
    assert "| typo-100 |" in card
    assert "| l2det-10 |" in card


def other_change(rows: list[Row]) -> None:
    rows[0]["token_change"] += 0.01


def fewer_edits(rows: list[Row]) -> None:
    rows[0]["n_edits"] += 1


def unknown_type(rows: list[Row]) -> None:
    next(r for r in rows if r["edits"])["edits"][0]["type"] = "informal"


def unknown_operation(rows: list[Row]) -> None:
    next(r for r in rows if r["edits"])["edits"][0]["operation"] = "repair"


def other_text(rows: list[Row]) -> None:
    rows[0]["input"] += "!"


def protected(rows: list[Row]) -> None:
    row = next(r for r in rows if r["edits"])
    edit = row["edits"][0]
    for other in rows:  # in every config alike it would be another benchmark: here alone
        if other["id"] == row["id"]:
            other["protected"][0] = {"part": "input", **{k: edit[k] for k in ("start", "end")}}


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (other_change, "rate"),
        (fewer_edits, "rate"),
        (unknown_type, "edit"),
        (unknown_operation, "edit"),
        (other_text, "text"),
        (protected, "protected"),
    ],
)
def test_every_fault_of_a_row_is_found(
    copied: Path, change: Callable[[list[Row]], object], kind: str
) -> None:
    assert not kinds(copied)
    spoil(copied, "typo-30", change)
    assert kind in kinds(copied)


def test_members_with_other_noise_are_found(copied: Path) -> None:
    def swap(rows: list[Row]) -> None:
        one, other = copy.deepcopy(rows[0]), copy.deepcopy(rows[2])
        assert one["pair_id"] == rows[1]["pair_id"] != other["pair_id"]
        rows[1]["edits"] = rows[1]["edits"][1:] or other["edits"]

    spoil(copied, "typo-100", swap)
    assert kinds(copied) & {"pair", "text"}


def test_a_lost_place_is_found(copied: Path) -> None:
    """More noise may do another thing at a place, but something."""

    def clean(rows: list[Row]) -> None:
        for row in rows:
            row["input"] = invert(row["input"], edits_of(row))
            row |= {"edits": [], "n_edits": 0, "token_change": 0.0, "char_distance": 0.0}
            row["length_ratio"] = 1.0

    spoil(copied, "punct-100", clean)
    assert "nested" in kinds(copied)


def test_another_edit_at_the_place_of_one_is_found(copied: Path) -> None:
    """Only a repeated mark, or a later kind in combined noise, gives way at a higher level."""

    def other(rows: list[Row]) -> None:
        lower = {row["id"]: row for row in read_config(copied, "typo-30").rows}
        row = next(r for r in rows if lower[r["id"]]["edits"])
        at = lower[row["id"]]["edits"][0]["start"]
        edit = next(e for e in row["edits"] if e["start"] == at)
        edit["replacement"] += "zz"
        row["input"] = apply(lower_clean(lower[row["id"]]), edits_of(row))
        change = realised(lower_clean(lower[row["id"]]), row["input"])
        row |= {name: getattr(change, name) for name in CHANGES}

    spoil(copied, "typo-100", other)
    assert "nested" in kinds(copied)


def lower_clean(row: Row) -> str:
    return invert(row["input"], edits_of(row))


def test_a_neighbour_does_not_stand_for_a_lost_edit() -> None:
    def row(*edits: tuple[int, int, str]) -> Row:
        made = [
            {"part": "input", "start": a, "end": b, "original": "x" * (b - a), "replacement": "y"}
            | {"type": kind, "operation": "replacement", "subtype": ""}
            for a, b, kind in edits
        ]
        return {"id": "1", "edits": made}

    def faults(noise: str, below: Row, above: Row) -> int:
        relations = Relations()
        assert not list(relations.faults(Condition(noise, 30), [below]))
        return len(list(relations.faults(Condition(noise, 50), [above])))

    touching = row((6, 7, "typo"))
    assert faults("combined", row((5, 6, "informal")), touching) == 1
    assert faults("combined", row((6, 9, "informal")), touching) == 0
    assert faults("combined", row((6, 7, "typo")), row((6, 9, "informal"))) == 1
    assert faults("combined", row((6, 7, "punct")), row((6, 9, "informal"))) == 0
    assert faults("punct", row((6, 7, "punct")), row((6, 9, "punct"))) == 0
    assert faults("informal", row((6, 7, "informal")), row((6, 9, "informal"))) == 1


@pytest.mark.parametrize("key", [*CHANGES, "mix"])
def test_a_manifest_without_the_change_is_found(copied: Path, key: str) -> None:
    edit_manifest(copied, lambda m: m["configs"]["typo-30"].pop(key))
    assert "manifest" in kinds(copied)


@pytest.mark.parametrize("key", CHANGES)
def test_a_manifest_with_another_mean_is_found(copied: Path, key: str) -> None:
    edit_manifest(copied, lambda m: m["configs"]["typo-30"].update({key: 0.5}))
    assert "mean rate" in kinds(copied)


def test_the_audit_finds_what_it_is_for(rows: Sequence[Row]) -> None:
    sound = audit_noise(rows)
    assert (sound.rows, *[getattr(sound, n) for n in sound.__slots__[1:]]) == (128, 0, 0, 0, 0, 0)
    wrong = copy.deepcopy(list(rows))
    wrong[0]["char_distance"] += 1
    pair = wrong[3]
    pair["edits"] = copy.deepcopy(pair["edits"])
    pair["edits"][0]["subtype"] = "another"
    found = audit_noise(wrong)
    assert (found.change_differs, found.unequal_pairs) == (1, 1)


def test_texts_that_are_withheld_come_back(rows: Sequence[Row]) -> None:
    stripped = strip_rows(rows)
    assert not {"input", "question"} & set(stripped[0])
    restored = restore_rows(stripped, load_benchmark(MINI), sha256=config_sha256(rows))
    assert restored == list(rows)
    assert list(restored[0]) == schema(noise=True).names


def test_a_release_shows_both_kinds(built: Path, tmp_path: Path) -> None:
    release = make_release(built, tmp_path, repo="org/x", version="1.0.0")
    text = (release.folder / "README.md").read_text("utf-8")
    assert "text-noise" in text
    assert "learner-english" in text
    assert "| `typo-30` | 30 % |" in text
    assert "## Kinds of noise" in text
    assert "| `l2det-10` | 10 % | input |" in text
    loaded = datasets.load_dataset(str(release.folder), "punct-30", cache_dir=str(tmp_path / "c"))
    assert loaded["test"].num_rows == 128


def test_a_release_with_other_figures_is_refused(copied: Path, tmp_path: Path) -> None:
    edit_manifest(copied, lambda m: m["configs"]["typo-30"].update(length_ratio=2.0))
    with pytest.raises(DataError, match=r"typo-30.*mean length ratio"):
        make_release(copied, tmp_path, repo="org/x", version="1.0.0")


def test_other_draws_are_another_build(built: Path, tmp_path: Path) -> None:
    shared = build(
        MINI, [Condition("combined", 30)], out=tmp_path / "s", noise=NoiseOptions("shared")
    )
    assert shared["noise_draws"] == "shared"
    first = read_manifest(built)["configs"]["combined-30"]
    assert shared["configs"]["combined-30"]["sha256"] != first["sha256"]
    assert shared["configs"]["combined-30"]["token_change"] < first["token_change"]
    with pytest.raises(InvalidInputError, match="noise draws independent, this one has shared"):
        build(MINI, [Condition("typo", 10)], out=built, noise=NoiseOptions("shared"))
    diff = compare_versions(built, tmp_path / "s")
    assert "noise_draws" in [fact.name for fact in diff.facts]
    (changed,) = diff.changed
    assert changed.mean_before == pytest.approx(first["token_change"])


def test_judge_items_have_no_learner_errors(tmp_path: Path) -> None:
    assert {c.transform for c in conditions_of(JUDGED[0])} == {
        *("clean", "typo", "informal", "punct", "colloquial", "combined")
    }
    with pytest.raises(UnknownNameError, match="condition of fable_control 'l2-30'"):
        build("fable_control", [Condition("l2", 30)], out=tmp_path / "x")

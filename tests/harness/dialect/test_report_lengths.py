"""Lengths of continuations beside LP, and which way they push its sum."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from sociolect.harness.dialect.audits import Key
from sociolect.harness.dialect.continuation_sheets import preference
from sociolect.harness.dialect.findings import Audit, audit
from sociolect.harness.dialect.lengths import Lengths
from sociolect.harness.dialect.lengths_shown import length_remark
from sociolect.harness.dialect.methods import Method
from sociolect.harness.dialect.report import remarks, render
from sociolect.harness.dialect.runs import read_runs
from sociolect.harness.dialect.system_names import datasets

from .dialect_runs import COMBINATIONS, Pair, Writer, pairs

C = "aae_continuation"
LONG = " working late every night"
SHORT = " work late"
INDIFFERENT = "for a model that is indifferent to all but length"


def audited(root: Path, tokens: dict[str, dict[str, list[int]]] | None = None) -> Audit:
    (dataset,) = datasets(read_runs([root])[0])
    return audit(dataset, Method(resamples=200, permutations=99), lambda run: tokens)


def uneven() -> list[Pair]:
    """Six pairs with AAE continuations of 25 characters, and SAE ones of 10 or, in two, 25."""
    of = pairs(6, sae=f"they usually{SHORT}")
    for pair in of[4:]:
        pair.sae = f"they are{LONG}"
    return of


def blind(of: list[Pair]) -> dict[tuple[str, str], list[float]]:
    """Half a nat a character, whatever it is."""
    text = {"aae": lambda pair: pair.aae, "sae": lambda pair: pair.sae}
    ends = {v: [p.row()[f"{v}_boundary"] for p in of] for v in text}
    return {
        (x, y): [-0.5 * len(text[y](p)[end:]) for p, end in zip(of, ends[y], strict=True)]
        for x, y in COMBINATIONS
    }


def test_what_is_blind_to_all_but_length_has_the_lp_of_the_lengths(tmp_path: Path) -> None:
    of = uneven()
    Writer(tmp_path, of).continuation(blind(of))
    (one,) = audited(tmp_path).systems
    found = {key.measure: estimate for key, estimate in one.estimates.items()}
    assert (len(LONG), len(SHORT)) == (25, 10)
    # SAE: four of 10 and two of 25 characters; the two pairs of 25 are the same words.
    assert found["lp_sum"].lengths == Lengths(25.0, 15.0)
    assert found["lp_sum"].value == pytest.approx(2 * 0.5 * (25 - 15))
    assert found["lp_sum_differing"].lengths == Lengths(25.0, 10.0)
    assert found["lp_sum_differing"].value == pytest.approx(2 * 0.5 * (25 - 10))
    assert found["lp_sum_differing[aspectual]"].lengths == Lengths(25.0, 10.0)
    assert found["lp_sum_differing[syntactic]"].lengths is None
    assert found["interaction_sum"].value == 0


def test_the_table_has_the_lengths_of_the_pairs_of_the_row(tmp_path: Path) -> None:
    of = uneven()
    Writer(tmp_path, of).continuation(blind(of))
    tokens = {pair.id: {"aae": [6, 3], "sae": [5, 3]} for pair in of}
    for counts, heads in ((None, ["chars"]), (tokens, ["chars", "tokens"])):
        sheet = preference(audited(tmp_path, counts))
        assert sheet is not None
        at = [i for i, column in enumerate(sheet.columns) if column.name.startswith("AAE / SAE ")]
        assert [sheet.columns[i].name for i in at] == [f"AAE / SAE {unit}" for unit in heads]
        found = {(r[2].text, r[3].text): [r[i].text for i in at] for r in sheet.rows}
        assert found["sum", "all"] == ["25 / 15", "5.5 / 3.0"][: len(heads)]
        assert found["sum", "differing"] == ["25 / 10", "5.5 / 3.0"][: len(heads)]
        assert found["token", "all"][0] == ("–" if counts is None else "25 / 15")


def test_an_unanswered_pair_does_not_count(tmp_path: Path) -> None:
    of = uneven()
    log_p = blind(of)
    log_p["aae", "sae"][0] = float("nan")
    Writer(tmp_path, of).continuation(log_p)
    (one,) = audited(tmp_path).systems
    found = one.estimates[Key(C, "lp_sum")]
    assert (found.n, found.lengths) == (5, Lengths(25.0, pytest.approx(18 - 2)))


def test_csv_and_json_have_the_lengths(tmp_path: Path) -> None:
    of = uneven()
    Writer(tmp_path, of).continuation(blind(of))
    Writer(tmp_path, of).choice({(c, o): "a" * 6 for c in ("aae", "sae") for o in (0, 1)})
    tokens = {pair.id: {"aae": [6, 3], "sae": [5, 3]} for pair in of}
    found = audited(tmp_path, tokens)
    expected = {"aae_chars": 25.0, "sae_chars": 15.0, "aae_tokens": 5.5, "sae_tokens": 3.0}
    rows = csv.DictReader(io.StringIO(render([found], "csv")))
    of_task = {(row["task"], row["measure"]): row for row in rows if not row["feature_class"]}
    for name, value in expected.items():
        assert float(of_task[C, "lp_sum"][name]) == value
        assert of_task["aae_choice_best", "aae_match"][name] == ""
    document = json.loads(render([found], "json"))
    (row,) = [r for r in document["rows"] if (r["measure"], r["feature_class"]) == ("lp_sum", "")]
    assert {name: row[name] for name in expected} == expected
    by_unit = {one["unit"]: one["groups"][0] for one in document["features"]}
    assert set(by_unit) == {"nats", "nats a token"}
    assert by_unit["nats"]["lengths"] == {**expected, "sae_chars": 10.0}
    assert any(INDIFFERENT in remark for remark in document["remarks"])


def test_a_remark_says_which_way_the_sum_is_pushed(tmp_path: Path) -> None:
    of = uneven()
    Writer(tmp_path, of).continuation(blind(of))
    Writer(tmp_path, of).continuation(blind(of), prompted=True)
    said = [line for line in remarks([audited(tmp_path)]) if INDIFFERENT in line]
    who = "org/tiny · Base, org/tiny · Prompt"
    what = "than the SAE ones, so that LP (sum) is above 0"
    see = "count tokens (--tokenizer) and see LP (token)"
    assert said == [
        f"{who}: over 6 pairs the AAE continuations are 67 % longer in characters {what} "
        f"{INDIFFERENT}; {see}.",
        f"{who}: over 4 pairs that differ the AAE continuations are 150 % longer in characters "
        f"{what} {INDIFFERENT}; {see}.",
    ]


@pytest.mark.parametrize(
    ("lengths", "said"),
    [
        (Lengths(105.0, 100.0), ""),
        (Lengths(100.0, 100.0, 21.0, 20.0), ""),
        (Lengths(95.0, 100.0, 20.0, 20.0), ""),
        (
            Lengths(187.0, 209.0),
            "11 % shorter in characters than the SAE ones, so that LP (sum) is below 0",
        ),
        (
            Lengths(100.0, 100.0, 30.0, 20.0),
            f"50 % longer in tokens than the SAE ones, so that LP (sum) is above 0 {INDIFFERENT}; "
            "see LP (token).",
        ),
        (
            Lengths(90.0, 100.0, 22.0, 20.0),
            "10 % shorter in characters, 10 % longer in tokens than the SAE ones, so that LP (sum) "
            "is pushed both ways",
        ),
    ],
)
def test_the_remark_by_length(lengths: Lengths, said: str) -> None:
    text = length_remark(lengths, "9 pairs")
    assert bool(text) == bool(said)
    assert said in text

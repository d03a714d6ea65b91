from __future__ import annotations

from pathlib import Path

import pytest

from sociolect.generators.dialect.pairs import DialectPair
from sociolect.generators.dialect.ratings import (
    DIMENSIONS,
    Rating,
    agreement,
    naturalness,
    read_ratings,
    with_naturalness,
)
from sociolect.generators.errors import DataError

PAIRS = [*(DialectPair(name, "x", "y", "z") for name in "ab"), DialectPair("c", "x", "y")]
HEADER = "id,rater,sentiment_preserved,equivalent,aae_natural,back_natural"


def file(tmp_path: Path, *rows: str, header: str = HEADER, name: str = "r.csv") -> Path:
    path = tmp_path / name
    path.write_text("\n".join([header, *rows]) + "\n", "utf-8")
    return path


def judged(items: list[str], dimension: str = "equivalent") -> list[Rating]:
    """A row of judgments an item, one letter a rater: y, n, or . for none."""
    read = {"y": True, "n": False, ".": None}
    return [
        Rating(str(number), str(rater), {**dict.fromkeys(DIMENSIONS), dimension: read[letter]})
        for number, row in enumerate(items)
        for rater, letter in enumerate(row)
    ]


def test_a_file_of_ratings(tmp_path: Path) -> None:
    path = file(tmp_path, "a,r1,yes,NO,1,0", "a,r2,true,False,,y", "", " b , r1 ,n,,,")
    first, second, third = read_ratings(path, PAIRS)
    assert (first.id, first.rater, list(first.judgments.values())) == (
        "a", "r1", [True, False, True, False],
    )  # fmt: skip
    assert list(second.judgments.values()) == [True, False, None, True]
    assert (third.id, third.rater) == ("b", "r1")


def test_columns_may_be_missing_or_more(tmp_path: Path) -> None:
    path = file(tmp_path, "x\tr1\ta\tyes", header="note\trater\tid\tequivalent", name="r.tsv")
    (rating,) = read_ratings(path, PAIRS)
    assert rating.judgments == {**dict.fromkeys(DIMENSIONS), "equivalent": True}
    assert agreement([rating], "aae_natural").reason == "not rated"


@pytest.mark.parametrize(
    ("rows", "header", "message"),
    [
        (["a,r1,yes,,,", "z,r1,yes,,,"], HEADER, r"r\.csv:3: id 'z' is in no pair"),
        (["a,r1,yes,,,", "b,r1,,,,", "a,r1,no,,,"], HEADER, r"csv:4.*after .*csv:2; keep one"),
        (["a,r1,maybe,,,"], HEADER, r"csv:2: sentiment_preserved is 'maybe'; write yes or no"),
        (["a,,yes,,,"], HEADER, "csv:2: no rater"),
        (["a,yes"], "id,equivalent", "csv:1: no column rater"),
        (["a,r1"], "id,rater", "csv:1: no column of judgments; expected sentiment_preserved"),
        (["c,r1,yes,,,", "c,r2,,,,no"], HEADER, "csv:3: back_natural is judged, but 'c' has no"),
        ([], HEADER, "holds no rating"),
        (["a,r1,,,,", "b,r1,,,,"], HEADER, "every judgment is blank; write yes or no"),
        (["a,r1,yes"], HEADER, "csv:2: 3 cells"),
    ],
)
def test_what_is_wrong_is_refused_with_its_row(
    tmp_path: Path, rows: list[str], header: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_ratings(file(tmp_path, *rows, header=header), PAIRS)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read ratings"):
        read_ratings(tmp_path / "none.csv", PAIRS)
    with pytest.raises(DataError, match=r"read from \.csv"):
        read_ratings(file(tmp_path, name="r.txt"), PAIRS)


def test_high_agreement_with_a_low_kappa() -> None:
    # 100 items, three raters, one "no" on each of six: 294 of 300 judgments are yes.
    # P = 1 - 6·(2/3)/100 = 0.96, P_e = 0.98² + 0.02² = 0.9608, κ = -0.0008 / 0.0392.
    found = agreement(judged(["yyy"] * 94 + ["yyn", "yny", "nyy"] * 2), "equivalent")
    assert (found.raters, found.items, found.incomplete) == (3, 100, 0)
    assert (found.exact, found.yes) == (pytest.approx(0.94), pytest.approx(0.98))
    assert found.kappa == pytest.approx(-0.0008 / 0.0392, abs=1e-9)
    assert found.reason == ""


def test_kappa_against_a_case_worked_by_hand() -> None:
    # P_i: 1, 1, 1/3, 1/3; P = 2/3; yes 7/12, no 5/12; P_e = 74/144; κ = (2/3 - 74/144) / (70/144)
    found = agreement(judged(["yyy", "nnn", "yyn", "yyn"]), "equivalent")
    assert found.kappa == pytest.approx((96 - 74) / 70)
    assert found.exact == 0.5


def test_raters_who_always_agree() -> None:
    assert agreement(judged(["yyy", "nnn"]), "equivalent").kappa == pytest.approx(1)


def test_items_of_another_number_of_raters_are_counted_and_left_out() -> None:
    found = agreement(judged(["yyy", "nnn", "yn.", "y..", "..."]), "equivalent")
    assert (found.raters, found.each, found.items, found.incomplete) == (3, 3, 2, 2)
    assert found.exact == 1


def test_raters_who_share_the_items() -> None:
    # Each item has three of five raters: the numbers are those of the case worked by hand above.
    found = agreement(judged(["yyy..", "..nnn", "y.y.n", ".yn.y"]), "equivalent")
    assert (found.raters, found.each, found.items, found.incomplete) == (5, 3, 4, 0)
    assert found.kappa == pytest.approx((96 - 74) / 70)
    assert (found.exact, found.yes) == (0.5, pytest.approx(7 / 12))


def test_items_of_one_rater_do_not_decide_how_many_an_item_has() -> None:
    found = agreement(judged(["yn", "yy", "y.", ".n", "n."]), "equivalent")
    assert (found.each, found.items, found.incomplete, found.exact) == (2, 2, 3, 0.5)


@pytest.mark.parametrize(
    ("items", "reason", "exact", "yes"),
    [
        (["yyy", "yyy"], "all judgments are equal", 1.0, 1.0),
        (["nn"], "all judgments are equal", 1.0, 0.0),
        (["y", "n"], "one rater an item", None, 0.5),
        (["y.", ".n"], "one rater an item", None, 0.5),
        (["..", ".."], "not rated", None, None),
        ([], "not rated", None, None),
    ],
)
def test_no_kappa_and_why(
    items: list[str], reason: str, exact: float | None, yes: float | None
) -> None:
    found = agreement(judged(items), "equivalent")
    assert (found.kappa, found.reason) == (None, reason)
    assert (found.exact, found.yes) == (exact, yes)


def test_dimensions_are_apart() -> None:
    ratings = judged(["yy", "nn"], "aae_natural")
    assert agreement(ratings, "equivalent").reason == "not rated"
    assert agreement(ratings, "aae_natural").items == 2


def test_naturalness_is_the_share_of_those_who_were_asked() -> None:
    ratings = judged(["yyn", "n..", "...", "yyy"], "back_natural")
    assert naturalness(ratings) == {"0": pytest.approx(2 / 3), "1": 0.0, "3": 1.0}
    pairs = [DialectPair(str(n), "a", "b", "c", naturalness=0.25) for n in range(5)]
    shares = [pair.naturalness for pair in with_naturalness(pairs, ratings)]
    assert shares == [pytest.approx(2 / 3), 0.0, 0.25, 1.0, 0.25]
    assert naturalness(judged(["yyn"], "aae_natural")) == {}

"""The findings as tables to read: a row a condition, or a condition and category."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sociolect.harness.judging.cells import (
    ends,
    estimate_ends,
    estimate_p,
    make_sheet,
    p_value,
    per_cent,
    rate_text,
    ratio_text,
    share_text,
)
from sociolect.harness.judging.clustered import Estimate
from sociolect.harness.judging.findings import ConditionFlips, Flips
from sociolect.harness.judging.verdicts import OUTCOMES
from sociolect.harness.sheets import NONE, Cell, Sheet

_Shown = tuple[str, Callable[[ConditionFlips], Cell]]

DIRECTIONS: tuple[tuple[str, str], ...] = (
    ("A→B", "a_to_b"),
    ("B→A", "b_to_a"),
    ("NONE→A", "none_to_a"),
    ("NONE→B", "none_to_b"),
    ("A→NONE", "a_to_none"),
    ("B→NONE", "b_to_none"),
)


def _marked(text: str, p: float | None, p_holm: float | None, alpha: float) -> Cell:
    marks = "*" * (p is not None and p < alpha) + "†" * (p_holm is not None and p_holm < alpha)
    return Cell(text, marks)


def _by_condition(flips: Flips, what: str, columns: Sequence[_Shown]) -> Sheet:
    head: list[_Shown] = [("condition", lambda one: Cell(one.label))]
    shown = [*head, *columns]
    rows = [[show(one) for _, show in shown] for one in flips.conditions]
    return make_sheet(f"{flips.judgements.name} · {what}", [name for name, _ in shown], rows)


def _text(name: str, show: Callable[[ConditionFlips], str]) -> _Shown:
    return name, lambda one: Cell(show(one))


def _rate(head: str, name: str, level: str) -> list[_Shown]:
    return [
        _text(head, lambda one: rate_text(one.rates[name])),
        _text(level, lambda one: ends(one.rates[name].interval)),
    ]


def _changed(one: ConditionFlips) -> list[str]:
    found = one.change
    if found is None:
        return [NONE, NONE, NONE]
    return [
        per_cent(found.token_change),
        per_cent(found.char_distance),
        f"{found.length_ratio:.3f}",
    ]


def _changes() -> list[_Shown]:
    return [
        _text("p", lambda one: f"{one.condition.level / 100:g}"),
        _text("tokens %", lambda one: _changed(one)[0]),
        _text("characters %", lambda one: _changed(one)[1]),
        _text("length", lambda one: _changed(one)[2]),
    ]


def flip_sheet(flips: Flips) -> Sheet:
    """Rates among all verdicts, and fabrications against erasures as counts."""
    alpha, level = flips.method.alpha, f"{100 * flips.method.confidence:g} % CI"
    columns: list[_Shown] = [
        *_changes(),
        _text("n", lambda one: str(one.rates["flips"].pool)),
        *_rate("flips %", "flips", level),
        _text("paper's flips %", lambda one: rate_text(one.rates["flips_paper"])),
        _text("fabricated", lambda one: str(one.rates["fabrication"].count)),
        _text("erased", lambda one: str(one.rates["erasure"].count)),
        _text("reversed", lambda one: str(one.rates["reversal"].count)),
        _text("ratio", lambda one: ratio_text(one.ratio)),
        _text(f"ratio, {level}", lambda one: ends(one.ratio.interval, 1)),
        (
            "p of parity",
            lambda one: _marked(p_value(one.parity_p), one.parity_p, one.parity_p_holm, alpha),
        ),
        _text("questions + − =", _signs),
        (
            "p of signs",
            lambda one: _marked(p_value(one.sign.p), one.sign.p, one.sign.p_holm, alpha),
        ),
        _text("unparsed %", _unparsed),
    ]
    return _by_condition(flips, "flips against its own clean verdicts", columns)


def _signs(one: ConditionFlips) -> str:
    return f"{one.sign.more} {one.sign.fewer} {one.sign.ties}"


def _unparsed(one: ConditionFlips) -> str:
    rates = (one.rates[f"unparsed_{side}"] for side in ("clean", "noisy"))
    return " → ".join(per_cent(rate.value) for rate in rates)


def conditional_sheet(flips: Flips) -> Sheet:
    """Each rate over the verdicts that can move in this way."""
    alpha, level = flips.method.alpha, f"{100 * flips.method.confidence:g} % CI"
    columns: list[_Shown] = [
        _text("clean NONE", lambda one: str(one.rates["fabrication_eligible"].pool)),
        *_rate("fabricated %", "fabrication_eligible", level),
        _text("clean A/B", lambda one: str(one.rates["erasure_eligible"].pool)),
        *_rate("erased %", "erasure_eligible", level),
        *_rate("reversed %", "reversal_eligible", level),
        _text("difference", lambda one: per_cent(one.difference_value)),
        _text(f"{level}, questions", lambda one: ends(one.difference)),
        ("p, questions", lambda one: _tested(one.contrast.by_question, alpha)),
        _text(f"{level}, and pairs", lambda one: estimate_ends(one.contrast.by_question_and_pair)),
        ("p, and pairs", lambda one: _tested(one.contrast.by_question_and_pair, alpha)),
        _text("quotient", lambda one: NONE if one.quotient is None else f"{one.quotient:.2f}"),
        _text(f"quotient, {level}", lambda one: ends(one.quotient_interval, 1, 2)),
    ]
    return _by_condition(flips, "each rate over its own clean verdicts", columns)


def _tested(found: Estimate, alpha: float) -> Cell:
    return _marked(estimate_p(found), found.p, found.p_holm, alpha)


def direction_sheet(flips: Flips) -> Sheet:
    """Both directions of reversal, fabrication and erasure, each over its own clean verdicts."""

    def show(name: str) -> Callable[[ConditionFlips], str]:
        return lambda one: share_text(one.rates[name])

    columns = [_text(f"{head} %", show(name)) for head, name in DIRECTIONS]
    return _by_condition(flips, "directions", columns)


def transition_sheet(flips: Flips) -> Sheet:
    """The 4 × 4 matrices, a row each."""

    def show(i: int, j: int) -> Callable[[ConditionFlips], str]:
        return lambda one: str(one.matrix[i][j])

    names = [name if name != "unparsed" else "?" for name in OUTCOMES]
    columns = [
        _text(f"{clean}→{noisy}", show(i, j))
        for i, clean in enumerate(names)
        for j, noisy in enumerate(names)
    ]
    return _by_condition(flips, "transitions, clean → noisy, ? for unparsed", columns)


def alignment_sheet(flips: Flips) -> Sheet:
    """How many of the new verdicts name the stereotyped option."""
    level = f"{100 * flips.method.confidence:g} % CI"

    def undefined(name: str) -> Callable[[ConditionFlips], str]:
        return lambda one: str(one.rates[name].count - one.rates[f"aligned_{name}"].pool)

    columns: list[_Shown] = []
    for name in ("fabrication", "reversal"):
        head, *rest = _rate(f"{name}s %", f"aligned_{name}", level)
        columns += [(head[0], _shares(f"aligned_{name}")), *rest]
        columns.append(_text("without", undefined(name)))
    columns.append(_text("clean A/B %", lambda one: share_text(one.rates["aligned_clean"])))
    return _by_condition(flips, "verdicts that name the stereotyped option", columns)


def _shares(name: str) -> Callable[[ConditionFlips], Cell]:
    return lambda one: Cell(share_text(one.rates[name]))


def category_sheet(flips: Flips) -> Sheet:
    """Raw and conditional rates of every category."""
    level = f"{100 * flips.method.confidence:g} % CI"
    names = ("flips", "fabrication", "fabrication_eligible", "erasure_eligible")
    heads = ("flips %", "fabricated %", "of clean NONE %", "erased, of clean A/B %")
    columns = ["condition", "category", "questions"]
    for head in heads:
        columns += [head, level]
    columns.append("reversed, of clean A/B %")
    rows = []
    for one in flips.conditions:
        for found in one.categories:
            cells = [one.label, found.name, str(found.questions)]
            for name in names:
                cells += [share_text(found.rates[name]), ends(found.rates[name].interval)]
            rows.append([*cells, share_text(found.rates["reversal_eligible"])])
    return make_sheet(f"{flips.judgements.name} · categories", columns, rows)

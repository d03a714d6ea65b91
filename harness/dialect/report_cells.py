"""How the numbers of the audit are named and written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sociolect.harness.dialect.differences import Difference
from sociolect.harness.dialect.findings import Estimate
from sociolect.harness.judging.resampling import Interval
from sociolect.harness.sheets import NONE, Cell
from sociolect.tasks.dialect.catalogue import LABEL_SHARES
from sociolect.tasks.dialect.continuation_measures import DIFFERING

DOUBTFUL = "!"
PLAIN = "="
"""One label was given to every text, or one option was always or never chosen."""


class Shown(NamedTuple):
    """How a measure is written.

    Attributes:
        label: Of the row or column.
        pattern: Of a number.
        factor: 100 for per cent.
    """

    label: str
    pattern: str
    factor: float = 1.0

    def number(self, value: float | None, sign: str = "") -> str:
        """A number, or a dash where there is none."""
        return NONE if value is None else format(self.factor * value, f"{sign}{self.pattern}")

    def with_interval(self, value: float | None, interval: Interval | None, sign: str = "") -> str:
        """A number and its interval in brackets."""
        text = self.number(value, sign)
        if interval is None or value is None:
            return text
        low, high = (self.number(end, sign) for end in interval)
        return f"{text} [{low}, {high}]"


def _nats(form: str) -> dict[str, Shown]:
    pattern = "+.2f" if form == "sum" else "+.3f"
    return {
        f"lp_{form}": Shown(f"LP ({form})", pattern),
        f"interaction_{form}": Shown(f"interaction ({form})", pattern),
        f"b_sae_{form}": Shown(f"b_SAE ({form})", pattern),
        f"b_aae_{form}": Shown(f"b_AAE ({form})", pattern),
    }


_ALL: Mapping[str, Shown] = {
    "dgi": Shown("DGI", ".3f"),
    "two_way_dgi": Shown("two-way DGI", ".3f"),
    "cdgi": Shown("cDGI", ".3f"),
    "cdgi_any": Shown("cDGI (any)", ".3f"),
    "ppl_aae_aae": Shown("AAE PPL", ".1f"),
    "ppl_sae_sae": Shown("SAE PPL", ".1f"),
    "ppl_aae_sae": Shown("PPL AAE→SAE", ".1f"),
    "ppl_sae_aae": Shown("PPL SAE→AAE", ".1f"),
    "aae_match": Shown("AAE match %", ".1f", 100),
    "sae_match": Shown("SAE match %", ".1f", 100),
    "first_option": Shown("first option %", ".1f", 100),
    "prefers_sae_in_sae": Shown("SAE likelier, SAE ctx %", ".1f", 100),
    "prefers_sae_in_aae": Shown("SAE likelier, AAE ctx %", ".1f", 100),
    **_nats("sum"),
    **_nats("token"),
    **{
        name: Shown(f"{label} {variety.upper()} %", ".1f", 100)
        for name, (label, variety) in LABEL_SHARES.items()
    },
}
SHOWN: Mapping[str, Shown] = {
    **_ALL,
    **{
        f"{name}{DIFFERING}": one._replace(label=f"{one.label}, differing")
        for name, one in _ALL.items()
    },
}
"""By name of the measure."""


def shown(measure: str) -> Shown:
    """How a measure is written; one of a feature class as the measure itself."""
    return SHOWN[measure.partition("[")[0]]


def cell(measure: str, estimate: Estimate | None) -> Cell:
    """A number with its interval, a dash where there is none."""
    if estimate is None or estimate.value is None:
        return Cell(NONE)
    how = shown(measure)
    sign = "" if not how.pattern.startswith("+") else "+"
    plain = how._replace(pattern=how.pattern.removeprefix("+"))
    text = plain.with_interval(estimate.value, estimate.interval, sign)
    return Cell(text, marks_of(estimate))


def marks_of(estimate: Estimate) -> str:
    """`DOUBTFUL` and `PLAIN`, as far as they hold."""
    return DOUBTFUL * estimate.doubtful + PLAIN * estimate.uninformative


def delta_cell(measure: str, difference: Difference, alpha: float) -> Cell:
    """A difference with its interval and marks."""
    how = shown(measure)
    plain = how._replace(pattern=how.pattern.removeprefix("+"))
    text = plain.with_interval(difference.delta, difference.interval, "+")
    small = difference.p is not None and difference.p < alpha
    holm = difference.p_holm is not None and difference.p_holm < alpha
    return Cell(text, "*" * small + "†" * holm + DOUBTFUL * difference.doubtful, small)


def value(measure: str, number: float | None) -> str:
    """A number without interval."""
    return shown(measure).number(number)


def p_value(p: float | None) -> str:
    """A p-value, a dash where there was no test."""
    if p is None:
        return NONE
    return f"{p:.4f}" if p >= 0.00005 else "<0.0001"

"""Tables of the continuations: preference, which one is the likelier, perplexity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolect.generators.dialect.pairs import VARIETIES
from sociolect.harness.dialect.audits import CONTINUATION, Key
from sociolect.harness.dialect.findings import Audit, Audited
from sociolect.harness.dialect.lengths_shown import length_cells, length_columns, length_units
from sociolect.harness.dialect.report_cells import cell, shown
from sociolect.harness.dialect.sheet_parts import (
    SYSTEM,
    has_same,
    left_notes,
    missing,
    n_of,
    named,
    titled,
)
from sociolect.harness.sheets import Cell, Column, Sheet
from sociolect.tasks.dialect.continuation_measures import COMBINATIONS, DIFFERING

_NATS = ("b_sae", "b_aae", "lp", "interaction")
_BY_CONTEXT = tuple(sorted(COMBINATIONS, key=lambda c: (c[0] != "sae", c[1] != "sae")))
_SHARES = tuple(f"prefers_sae_in_{context}" for context in reversed(VARIETIES))
_DILUTED = (
    "all: as in Eq. 4; where both continuations are the same words, the preference is 0 whatever "
    "the model. differing: the pairs with two continuations."
)


def _asked(audit: Audit) -> list[Audited]:
    return [one for one in audit.systems if one.answers.scores is not None]


def _sets(audit: Audit) -> dict[str, str]:
    """Which pairs a row is over, to the end of the names of its measures."""
    return {"all": "", **({"differing": DIFFERING} if has_same(audit.systems) else {})}


def _notes(audit: Audit, measure: str) -> tuple[str, ...]:
    """What the sets of pairs are, and why pairs are in neither."""
    several = len(_sets(audit)) > 1
    names = [measure, *([f"{measure}{DIFFERING}"] if several else [])]
    return (*([_DILUTED] if several else []), *left_notes(audit, [CONTINUATION], names))


def preference(audit: Audit) -> Sheet | None:
    """b_SAE, b_AAE, LP and the interaction (Eqs. 2–4), summed and a token."""
    asked = _asked(audit)
    units = length_units(estimate.lengths for one in asked for estimate in one.estimates.values())
    rows = [row for one in asked for row in _preference_rows(audit, one, units)]
    if not rows:
        return None
    columns = (
        *SYSTEM,
        Column("nats", left=True),
        Column("pairs", left=True),
        *(Column(name) for name in ("b_SAE", "b_AAE", "LP", "interaction")),
        *length_columns(units),
        *(Column("n"), Column("unanswered %")),
    )
    title = titled(audit, "Preference among continuations (Eqs. 2–4)")
    return Sheet(title, columns, tuple(rows), _notes(audit, "lp_sum"))


def _preference_rows(
    audit: Audit, one: Audited, units: Sequence[str]
) -> Iterator[tuple[Cell, ...]]:
    for form in ("sum", "token"):
        for pairs, end in _sets(audit).items():
            names = [f"{name}_{form}{end}" for name in _NATS]
            found = [one.estimates.get(Key(CONTINUATION, name)) for name in names]
            cells = [cell(name, e) for name, e in zip(names, found, strict=True)]
            lost = missing(one, CONTINUATION)
            sizes = length_cells(found[0].lengths if found[0] else None, units)
            yield (*named(one), Cell(form), Cell(pairs), *cells, *sizes, n_of(found[0]), lost)


def likelier(audit: Audit) -> Sheet | None:
    """How often the SAE continuation is the likelier one, by context; ties count half."""
    rows = [
        (
            *named(one),
            Cell(pairs),
            *(cell(name, one.estimates.get(Key(CONTINUATION, name + end))) for name in _SHARES),
            n_of(one.estimates.get(Key(CONTINUATION, _SHARES[0] + end))),
        )
        for one in _asked(audit)
        for pairs, end in _sets(audit).items()
    ]
    if not rows:
        return None
    heads = [*(Column(shown(name).label) for name in _SHARES), Column("n")]
    columns = (*SYSTEM, Column("pairs", left=True), *heads)
    title = titled(audit, "The likelier continuation, by context")
    return Sheet(title, columns, tuple(rows), ("Ties count half.",))


def perplexities(audit: Audit) -> Sheet | None:
    """Perplexity of the four combinations (Fig. 3), over all pairs."""
    names = [f"ppl_{'_'.join(combination)}" for combination in _BY_CONTEXT]
    rows = [
        (
            *named(one),
            *(cell(name, one.estimates.get(Key(CONTINUATION, name))) for name in names),
            n_of(one.estimates.get(Key(CONTINUATION, names[0]))),
        )
        for one in _asked(audit)
    ]
    if not rows:
        return None
    heads = [f"PPL {x.upper()}→{y.upper()}" for x, y in _BY_CONTEXT]
    columns = (*SYSTEM, *map(Column, heads), Column("n"))
    return Sheet(titled(audit, "Perplexity by context → continuation"), columns, tuple(rows))

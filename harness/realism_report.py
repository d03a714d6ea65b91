"""What `sociolect validate` found, for people and for machines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from sociolect.generators.realism import Agreement, Realism, Share
from sociolect.harness.edit_cost import Cost
from sociolect.harness.tables import escape_markdown, printable

SCHEMA_VERSION = 1

LIMITS = (
    "This compares kinds of errors, their operations and words, as ERRANT names them. It does not "
    "show whether a text as a whole reads like a learner's: which errors occur together, in which "
    "sentences, and for which first language.",
    "ERRANT's labels are themselves the output of rules on tags. A real-word spelling error is "
    "often called an error of the word that came out, here as in learners' texts.",
)
COST_LIMIT = (
    "The cost of an edit depends on the texts and on the model: short sentences of a benchmark are "
    "not essays. It says how unexpected the errors are to this model, not how natural."
)
_NONE = "–"
_OPERATIONS = {"M": "missing", "R": "replaced", "U": "unnecessary"}
_SHOWN_TYPES = 4


@dataclass(frozen=True, slots=True)
class Costs:
    """What an error costs one model, here and in the reference where that has texts."""

    model: str
    ours: Cost
    reference: Cost | None


@dataclass(frozen=True, slots=True)
class Validation:
    """A comparison with what identifies the data.

    Attributes:
        sample: Pairs asked for, 0 for all.
        errant: Version of ERRANT.
    """

    benchmark: str
    data_version: str
    config_sha256: str
    sample: int
    errant: str
    realism: Realism
    costs: Costs | None


@dataclass(frozen=True, slots=True)
class _Grid:
    """A table before it is rendered; the columns after `labels` hold numbers."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int = 1


def content(found: Validation) -> dict[str, Any]:
    """Everything as one JSON object; `realism.json` beside a build holds the same.

    Shares and distances are in [0, 1]. `reference`, `total_variation` and `per_type` are what a
    dataset card shows.
    """
    realism, labels = found.realism, found.realism.labels
    return {
        "schema_version": SCHEMA_VERSION,
        "benchmark": found.benchmark,
        "data_version": found.data_version,
        "config": realism.config,
        "config_sha256": found.config_sha256,
        "sample": found.sample,
        "errant": found.errant,
        "pairs": labels.pairs,
        "texts": labels.texts,
        "errors": labels.errors,
        "errant_edits": labels.types.total(),
        "reference": realism.reference.name,
        "reference_source": realism.reference.source,
        "total_variation": realism.total_variation,
        "design_total_variation": realism.design_total_variation,
        "total_variation_families": realism.total_variation_families,
        "total_variation_all": realism.total_variation_all,
        "per_type": [asdict(s) for s in realism.per_type],
        "families": [asdict(s) for s in realism.families],
        "operations": {t: [asdict(s) for s in of] for t, of in realism.operations.items()},
        "all_types": [asdict(s) for s in realism.all_types],
        "agreement": [asdict(a) for a in realism.agreement],
        "confusions": [asdict(c) for c in realism.confusions],
        "cost": None if found.costs is None else asdict(found.costs),
        "limits": list(_limits(found)),
    }


def render_json(found: Validation) -> str:
    """`content` as text."""
    return json.dumps(content(found), indent=2, ensure_ascii=False) + "\n"


def rendered(found: Validation) -> Group:
    """Tables and notes for a terminal."""
    parts: list[Table | Text] = [Text(printable(line)) for line in _head(found)]
    for grid in _grids(found):
        table = Table(box=SIMPLE_HEAD, padding=0)
        for index, name in enumerate(grid.header):
            table.add_column(Text(name), justify="left" if index < grid.labels else "right")
        for row in grid.rows:
            table.add_row(*(Text(printable(cell)) for cell in row))
        # A title of the table itself would be cut to the width of its columns.
        parts += [Text(printable(grid.title), style="bold"), table]
    return Group(*parts, *(Text(printable(line)) for line in _limits(found)))


def render_markdown(found: Validation) -> str:
    """Pipe tables, with the notes as a list."""
    lines = [*(escape_markdown(line) for line in _head(found)), ""]
    for grid in _grids(found):
        lines += [f"**{escape_markdown(grid.title)}**", "", _pipes(grid.header)]
        numbers = len(grid.header) - grid.labels
        lines.append(_pipes((*("---",) * grid.labels, *("---:",) * numbers)))
        lines += [_pipes([escape_markdown(cell) for cell in row]) for row in grid.rows]
        lines.append("")
    return "\n".join((*lines, *(f"- {escape_markdown(note)}" for note in _limits(found)))) + "\n"


def _pipes(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _limits(found: Validation) -> Iterator[str]:
    yield from LIMITS
    if found.costs is not None:
        yield COST_LIMIT


def _head(found: Validation) -> Iterator[str]:
    realism, labels = found.realism, found.realism.labels
    sample = f" (a sample of {found.sample})" if found.sample else ""
    edits = labels.types.total()
    yield (
        f"{found.benchmark} {found.data_version}, {realism.config}: {labels.errors:,} errors in "
        f"{labels.pairs:,} pairs{sample}; ERRANT {found.errant} finds {edits:,} edits"
    )
    yield f"Reference: {realism.reference.name}. {realism.reference.source}"
    yield (
        f"Total variation distance: {realism.total_variation:.3f} over the types that are made "
        f"(the mix that is asked for has {realism.design_total_variation:.3f}), "
        f"{realism.total_variation_families:.3f} over determiner, preposition, verb, spelling, "
        f"{realism.total_variation_all:.3f} over all types. 0 is the same, 1 nothing in common."
    )


def _grids(found: Validation) -> Iterator[_Grid]:
    realism = found.realism
    both = ("here %", "reference %")
    yield _Grid(
        "Types that are made, among themselves",
        ("type", *both, "here n", "reference n"),
        tuple((s.type, *_percents(s), *_counts(s)) for s in realism.per_type),
    )
    yield _Grid(
        "Operations",
        ("type", "operation", *both),
        tuple(
            (t, _OPERATIONS[s.type], *_percents(s))
            for t, of in realism.operations.items()
            for s in of
        ),
        labels=2,
    )
    yield _Grid(
        "What ERRANT calls the errors",
        ("intended", "ERRANT's types (n)", "n", "same family %"),
        tuple(_agreement(realism.agreement)),
        labels=2,
    )
    if realism.reference.confusions is not None:
        yield _Grid(
            "Commonest confusions (errored → clean)",
            ("type", "words", *both),
            tuple(
                (c.type, f"{c.original or '∅'} → {c.correction or '∅'}", *_percents(c))
                for c in realism.confusions
            ),
            labels=2,
        )
    if found.costs is not None:
        yield _costs(found.costs, realism.reference.name)


def _percents(share: Any) -> tuple[str, str]:
    reference = _NONE if share.reference is None else f"{100 * share.reference:.1f}"
    return f"{100 * share.ours:.1f}", reference


def _counts(share: Share) -> tuple[str, str]:
    return f"{share.ours_count:,}", f"{share.reference_count:,}"


def _agreement(rows: Iterable[Agreement]) -> Iterator[tuple[str, ...]]:
    total = agree = 0
    for row in rows:
        total, agree = total + row.errors, agree + row.agree
        yield row.kind, _first(row.types), f"{row.errors:,}", f"{100 * row.agree / row.errors:.1f}"
    yield "all", "", f"{total:,}", f"{100 * agree / total:.1f}" if total else _NONE


def _first(types: Mapping[str, int]) -> str:
    shown = [f"{name} {count}" for name, count in list(types.items())[:_SHOWN_TYPES]]
    rest = sum(list(types.values())[_SHOWN_TYPES:])
    return ", ".join((*shown, *((f"others {rest}",) if rest else ())))


def _costs(costs: Costs, reference: str) -> _Grid:
    sides = [("here", costs.ours)]
    if costs.reference is not None:
        sides.append((reference, costs.reference))
    return _Grid(
        f"Nats of log-likelihood lost per edit, {costs.model}",
        ("texts", "mean", "95 % CI", "n", "too long", "no error"),
        tuple(
            (
                name,
                f"{c.mean:.3f}",
                _NONE if c.low is None or c.high is None else f"[{c.low:.3f}, {c.high:.3f}]",
                *(f"{n:,}" for n in (c.units, c.too_long, c.without_errors)),
            )
            for name, c in sides
        ),
    )

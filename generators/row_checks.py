"""Checks of single rows against the clean row of the same id.

They share nothing with the injector but the tokenizer: what an edit should be is read off the
texts, never made again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sociolect.generators.audit import clash_count, spans_of
from sociolect.generators.conditions import Condition, parts_of
from sociolect.generators.distance import measure
from sociolect.generators.errors import EditError
from sociolect.generators.faults import Fault, shown, shown_difference
from sociolect.generators.items import PART_NAMES
from sociolect.generators.learner.tables import shares
from sociolect.generators.manifest import Manifest
from sociolect.generators.noise.realised import CHANGES, Realised, realised
from sociolect.generators.rows import edits_of
from sociolect.generators.text import CASE, Edit, Span, apply, invert, map_spans, touches

AnyRow = Mapping[str, Any]

FIXED = (
    *("pair_id", "pair_valid", "member", "question", "options"),
    *("gold", "target_option", "protected"),
)
"""Columns that are the same in every condition."""

RATE_TOLERANCE = 1e-12
OPERATIONS = ("deletion", "replacement", "insertion")
"""What an edit of surface noise may do."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What was counted in one part of a row: distance, tokens, errors."""

    distance: int
    n_tokens: int
    n_edits: int

    @property
    def rate(self) -> float:
        """ε = d / n, 0 without tokens."""
        return self.distance / self.n_tokens if self.n_tokens else 0.0


class RowCheck:
    """Looks at the rows of one config.

    Args:
        condition: What the config holds.
        manifest: Of the build.
        clean: The clean row of every id.
        withheld: Whether the rows come without the texts of the benchmark. Then offsets, kinds
            and columns are looked at, not texts.
    """

    def __init__(
        self, condition: Condition, manifest: Manifest, clean: Mapping[str, AnyRow], withheld: bool
    ) -> None:
        self._condition = condition
        self._config = condition.config_name
        self._clean = clean
        self._withheld = withheld
        self._kinds = {
            *((p.type, p.operation, p.subtype) for p in shares(condition.types)),
            (CASE, "repair", ""),
        }
        self._wanted = {
            "benchmark": manifest["benchmark"],
            "axis": manifest["axis"],
            "transform": condition.transform,
            "level": condition.level,
            "part": condition.part,
            "seed": manifest["seed"],
        }

    def faults(self, row: AnyRow) -> Iterator[Fault]:
        """What is wrong with one row."""
        for name, value in self._wanted.items():
            if row[name] != value:
                yield self._fault("condition", row, name, shown(value), shown(row[name]))
        clean = self._clean.get(row["id"])
        if clean is None:
            return  # counted as a fault of the ids
        for name in FIXED:
            if name in row and name in clean and row[name] != clean[name]:
                yield self._fault("fixed column", row, name, shown(clean[name]), shown(row[name]))
        broken = list(self._edit_faults(row))
        yield from broken
        if self._withheld:
            yield from self._offset_faults(row)
        elif not broken:
            yield from self._text_faults(row, clean)

    def _fault(self, kind: str, row: AnyRow, what: str, expected: str, found: str) -> Fault:
        return Fault(kind, self._config, row["id"], what, expected, found)

    def _edit_faults(self, row: AnyRow) -> Iterator[Fault]:
        parts = self._condition.perturbed_parts
        for edit in row["edits"]:
            kind = (edit["type"], edit["operation"], edit["subtype"])
            if edit["part"] not in parts:
                where = " and ".join(parts) or "no part"
                yield self._fault("edit", row, "part of an edit", where, shown(edit["part"]))
            elif not self._makes(kind):
                wanted = f"a kind of {self._condition.transform}"
                yield self._fault("edit", row, "kind of an edit", wanted, shown(kind))
            elif not 0 <= edit["start"] <= edit["end"]:
                found = f"[{edit['start']}, {edit['end']})"
                yield self._fault("edit", row, "offsets of an edit", "a range", found)

    def _makes(self, kind: tuple[str, str, str]) -> bool:
        """Whether the condition makes edits of this type, operation and sub-type."""
        return kind in self._kinds

    def _offset_faults(self, row: AnyRow) -> Iterator[Fault]:
        """What can be seen without texts: protected spans and the number of errors."""
        errors = [e for e in row["edits"] if e["type"] != CASE]
        for e in errors:
            for s in row["protected"]:
                same = e["part"] == s["part"]
                if same and e["start"] < s["end"] and e["end"] > s["start"]:
                    found = f"[{e['start']}, {e['end']}) in the {e['part']}"
                    yield self._fault("protected", row, "an edit", "none there", found)
        if row["n_edits"] != len(errors):
            yield self._fault("rate", row, "n_edits", str(len(errors)), str(row["n_edits"]))

    def _text_faults(self, row: AnyRow, clean: AnyRow) -> Iterator[Fault]:
        measured: dict[str, Any] = {}
        for part in PART_NAMES:
            try:
                edits, spans = edits_of(row, part), spans_of(row, part)
                back = invert(row[part], edits)
                if back != clean[part]:
                    expected, found = shown_difference(clean[part], back)
                    yield self._fault("text", row, f"the clean {part}", expected, found)
                    continue
                forth = apply(clean[part], edits)
                if forth != row[part]:
                    expected, found = shown_difference(forth, row[part])
                    yield self._fault("text", row, f"the {part}", expected, found)
                    continue
                yield from self._word_faults(row, part, back, edits, spans)
                measured[part] = self._measured(back, spans, edits, row[part])
            except EditError as error:
                expected = "edits that fit the text"
                yield self._fault("text", row, f"edits of the {part}", expected, str(error))
                continue
        if len(measured) == len(PART_NAMES):
            yield from self._count_faults(row, measured)

    def _word_faults(
        self, row: AnyRow, part: str, clean: str, edits: list[Edit], spans: list[Span]
    ) -> Iterator[Fault]:
        if not edits:
            return
        for edit in touches(edits, spans):
            yield self._fault("protected", row, f"edit of the {part}", "none there", shown(edit))
        kept = [s.of(clean).lower() for s in spans]
        now = [s.of(row[part]).lower() for s in map_spans(spans, edits)]
        if kept != now:
            yield self._fault("protected", row, f"protected {part}", shown(kept), shown(now))
        for edit in edits:
            if self._changes_nothing(edit):
                yield self._fault("no-op", row, f"edit of the {part}", "a change", shown(edit))
        yield from self._clash_faults(row, part, clean)

    def _changes_nothing(self, edit: Edit) -> bool:
        return edit.original.strip() == edit.replacement.strip()

    def _clash_faults(self, row: AnyRow, part: str, clean: str) -> Iterator[Fault]:
        more = clash_count(row[part]) - clash_count(clean)
        if more > 0:
            found = f"{more} more than in the clean text: {row[part]!r}"
            yield self._fault("clash", row, f"a/an in the {part}", "no new clash", found)

    def _measured(
        self, clean: str, spans: list[Span], edits: list[Edit], text: str
    ) -> Measured | Realised:
        distance, length = measure(clean, spans, edits, text)
        return Measured(distance, length, sum(not e.is_repair for e in edits))

    def _count_faults(self, row: AnyRow, measured: Mapping[str, Any]) -> Iterator[Fault]:
        scope = [measured[p] for p in self._condition.perturbed_parts or PART_NAMES]
        whole = Measured(
            sum(m.distance for m in scope),
            sum(m.n_tokens for m in scope),
            sum(m.n_edits for m in scope),
        )
        rates = {"error_rate": whole.rate}
        rates |= {f"error_rate_{part}": m.rate for part, m in measured.items()}
        for name, rate in rates.items():
            if not abs(row[name] - rate) <= RATE_TOLERANCE:
                yield self._fault("rate", row, name, f"{rate:.6f}", f"{row[name]:.6f}")
        for name in ("n_tokens", "n_edits"):
            count = getattr(whole, name)
            if row[name] != count:
                yield self._fault("rate", row, name, str(count), str(row[name]))


class NoiseRowCheck(RowCheck):
    """Looks at the rows of a config with surface noise."""

    def _makes(self, kind: tuple[str, str, str]) -> bool:
        return kind[0] in parts_of(self._condition.transform) and kind[1] in OPERATIONS

    def _changes_nothing(self, edit: Edit) -> bool:
        return edit.original == edit.replacement

    def _clash_faults(self, row: AnyRow, part: str, clean: str) -> Iterator[Fault]:
        return iter(())  # a misspelt word may begin with another sound

    def _measured(
        self, clean: str, spans: list[Span], edits: list[Edit], text: str
    ) -> Measured | Realised:
        return realised(clean, text)

    def _count_faults(self, row: AnyRow, measured: Mapping[str, Any]) -> Iterator[Fault]:
        change: Realised = measured["input"]
        for name in CHANGES:
            wanted = getattr(change, name)
            if not abs(row[name] - wanted) <= RATE_TOLERANCE:
                yield self._fault("rate", row, name, f"{wanted:.6f}", f"{row[name]:.6f}")
        for name, count in (("n_tokens", change.n_tokens), ("n_edits", len(row["edits"]))):
            if row[name] != count:
                yield self._fault("rate", row, name, str(count), str(row[name]))


def row_check(
    condition: Condition, manifest: Manifest, clean: Mapping[str, AnyRow], withheld: bool
) -> RowCheck:
    """The check that fits a condition; arguments as for `RowCheck`."""
    kind = NoiseRowCheck if condition.is_noise else RowCheck
    return kind(condition, manifest, clean, withheld)


def pair_faults(config: str, rows: Sequence[AnyRow], withheld: bool) -> Iterator[Fault]:
    """Valid pairs whose members differ in their edits, or in more than protected words.

    Args:
        config: Name of the config.
        rows: All its rows; members of a pair need not be neighbours.
        withheld: Whether the texts of the benchmark are left out.
    """
    first: dict[str, AnyRow] = {}
    for row in rows:
        one = first.setdefault(row["pair_id"], row)
        if one is row or not row["pair_valid"]:
            continue
        mine, others = _signature(row), _signature(one)
        if mine != others:
            what = f"edits, against {one['id']}"
            yield Fault("pair", config, row["id"], what, shown(others), shown(mine))
        for part in () if withheld else PART_NAMES:
            blank, other = _blanked(row, part), _blanked(one, part)
            if blank != other:
                expected, found = shown_difference(other, blank)
                what = f"{part} outside the protected spans, against {one['id']}"
                yield Fault("pair", config, row["id"], what, expected, found)


_SHARED = ("part", "original", "replacement", "type", "operation", "subtype")


def _signature(row: AnyRow) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(e.get(name) for name in _SHARED) for e in row["edits"])


def _blanked(row: AnyRow, part: str) -> str:
    """The text with its protected spans replaced by a mark."""
    try:
        spans = sorted(map_spans(spans_of(row, part), edits_of(row, part)))
    except EditError:  # an edit crosses the edge of a span, counted as such
        return ""
    pieces, at = [], 0
    for span in spans:
        pieces.append(row[part][at : span.start])
        at = max(at, span.end)
    return "\0".join((*pieces, row[part][at:]))

"""Features of a text, and of pairs, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sociolect.generators.dialect.features import Feature
from sociolect.generators.dialect.lexicon import CLASSES, FeatureClass
from sociolect.generators.dialect.pairs import VARIETIES, DialectPair, Variety
from sociolect.harness.dialect.feature_counts import Presence, jaccard, overlap, presence
from sociolect.harness.dialect.localisation_sheet import overlap_sheet, shown
from sociolect.harness.dialect.localised import NONE
from sociolect.harness.sheets import Cell, Column, Sheet
from sociolect.harness.tables import number


@dataclass(frozen=True, slots=True)
class PairFeatures:
    """The features of both sides of n pairs, or of n AAE texts alone.

    Attributes:
        n: Pairs, or texts.
        sides: By variety, without `sae` for texts alone; features on the SAE side are what
            the lexicon finds by mistake, or forms that SAE shares.
    """

    n: int
    sides: Mapping[Variety, Presence]

    def entries(self) -> list[tuple[FeatureClass, str, int, int]]:
        """Class, entry, AAE texts and SAE texts, by class, those frequent in AAE first."""
        keys = dict.fromkeys(key for side in self.sides for key in self.sides[side].entries)
        rows = [(*key, self._texts("aae", key), self._texts("sae", key)) for key in keys]
        return sorted(rows, key=lambda row: (CLASSES.index(row[0]), -row[2], -row[3], row[1]))

    def by_side(self, aae: int, sae: int) -> dict[Variety, int]:
        """Counts of the sides that there are."""
        counts: dict[Variety, int] = {"aae": aae, "sae": sae}
        return {side: counts[side] for side in VARIETIES if side in self.sides}

    def _texts(self, side: Variety, key: tuple[FeatureClass, str]) -> int:
        flags = self.sides[side].entries.get(key) if side in self.sides else None
        return 0 if flags is None else int(flags.sum())

    def record(self) -> dict[str, Any]:
        """As JSON."""
        counts = overlap(self.sides["aae"])
        return {
            "pairs" if "sae" in self.sides else "aae_texts": self.n,
            "texts": {side: _by_class(found) for side, found in self.sides.items()},
            "classes": list(CLASSES),
            "overlap": counts,
            "jaccard": jaccard(counts),
            "entries": [
                {"feature_class": name, "entry": entry, **self.by_side(aae, sae)}
                for name, entry, aae, sae in self.entries()
            ],
        }


def pair_features(pairs: Sequence[DialectPair], *, slurs: bool = False) -> PairFeatures:
    """Search both sides of pairs."""
    return PairFeatures(
        len(pairs),
        {
            "aae": presence([pair.aae for pair in pairs], slurs=slurs),
            "sae": presence([pair.sae for pair in pairs], slurs=slurs),
        },
    )


def text_features(texts: Sequence[str], *, slurs: bool = False) -> PairFeatures:
    """Search AAE texts that have no SAE side."""
    return PairFeatures(len(texts), {"aae": presence(texts, slurs=slurs)})


def _by_class(found: Presence) -> dict[str, int]:
    counts: dict[str, int] = {name: int(found.of(name).sum()) for name in CLASSES}
    return {**counts, NONE: int(found.without.sum())}


def pair_sheets(found: PairFeatures, top: int) -> list[Sheet]:
    """Texts by class, overlaps of the AAE sides, and the entries.

    Args:
        found: From `pair_features`.
        top: Entries of a class that are shown at most.
    """
    counts = overlap(found.sides["aae"])
    overlaps = overlap_sheet(counts, jaccard(counts), " · AAE texts")
    return [_class_sheet(found), overlaps, _entry_sheet(found, top)]


def _class_sheet(found: PairFeatures) -> Sheet:
    counts = {side: _by_class(present) for side, present in found.sides.items()}
    rows = tuple((Cell(shown(name)), *_counted(counts, name, found.n)) for name in (*CLASSES, NONE))
    heads = [f"{side.upper()}{unit}" for side in counts for unit in ("", " %")]
    columns = (Column("feature", left=True), *map(Column, heads))
    note = "A text is in every class that it has a feature of."
    of = f"{found.n:,} AAE texts"
    if "sae" in counts:
        of = f"{found.n:,} pairs"
        note += (
            " Matches in SAE texts are words that are not the feature there, or forms that both "
            "varieties have."
        )
    return Sheet(f"texts with a feature, of {of}", columns, rows, (note,))


def _counted(
    counts: Mapping[Variety, Mapping[str, int]], name: str, pairs: int
) -> tuple[Cell, ...]:
    cells = []
    for side in counts:
        count = counts[side][name]
        share = number(100 * count / pairs if pairs else None, ".1f")
        cells += [Cell(f"{count:,}"), Cell(share)]
    return tuple(cells)


def _entry_sheet(found: PairFeatures, top: int) -> Sheet:
    rows, seen = [], dict.fromkeys(CLASSES, 0)
    for name, entry, aae, sae in found.entries():
        seen[name] += 1
        if seen[name] <= top:
            counted = found.by_side(aae, sae).values()
            rows.append((Cell(name), Cell(entry), *(Cell(f"{n:,}") for n in counted)))
    hidden = sum(max(0, count - top) for count in seen.values())
    sides = (Column(side.upper()) for side in found.sides)
    columns = (Column("class", left=True), Column("entry", left=True), *sides)
    notes = (f"{hidden:,} less frequent entries are not shown (--top).",) if hidden else ()
    return Sheet("texts with an entry", columns, tuple(rows), notes)


def text_sheet(text: str, found: Sequence[Feature]) -> Sheet:
    """The features of a text, with their place in it."""
    columns = (
        Column("class", left=True),
        Column("entry", left=True),
        Column("text", left=True),
        Column("characters"),
    )
    rows = tuple(
        (
            Cell(one.feature_class),
            Cell(one.entry),
            Cell(" ".join(text[one.start : one.end].split())),
            Cell(f"{one.start}–{one.end}"),
        )
        for one in found
    )
    notes = () if found else ("No entry of the lexicon; that does not make it SAE.",)
    return Sheet("features", columns, rows, notes)

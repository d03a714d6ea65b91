"""Several models on the same items: how many prefer the SAE continuation (App. C.5).

Dialect paper, App. C.5: of six models five prefer the SAE continuation of an item under its AAE
context before steering, and five the AAE continuation after it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError, NotComparableError
from sociolect.harness.run_settings import short_names
from sociolect.harness.sheets import Cell, Column, Sheet
from sociolect.harness.steering.sweep_votes_files import TEXTS, Voter, read_voter

_LISTED = 10


@dataclass(frozen=True, slots=True)
class Votes:
    """The models on one item; those that did not score it have no vote, ties none either.

    Attributes:
        id: Of the pair.
        before: Models that prefer the SAE continuation before.
        after: The same after.
        models: That scored it.
        texts: AAE context, AAE and SAE continuation.
    """

    id: str
    before: int
    after: int
    models: int
    texts: tuple[str, str, str]

    def record(self) -> dict[str, Any]:
        """Ready for JSON and CSV."""
        numbers = {"before": self.before, "after": self.after, "models": self.models}
        return {"id": self.id, **numbers, **dict(zip(TEXTS, self.texts, strict=True))}


def read_voters(folders: Sequence[Path]) -> list[Voter]:
    """The models of finished sweeps.

    Raises:
        InvalidInputError: Fewer than two folders.
        ResultsError: A folder without a finished sweep, or a damaged one.
        NotComparableError: Sweeps of different pairs, or two of one model.
    """
    if len(folders) < 2:
        raise InvalidInputError(
            "votes are of several models: name the folders of two sweeps or more"
        )
    voters = [read_voter(folder) for folder in folders]
    if len({one.data for one in voters}) > 1:
        named = ", ".join(f"{f}: {one.data[:12]}" for f, one in zip(folders, voters, strict=True))
        raise NotComparableError(f"the sweeps are of different pairs ({named})")
    uses = Counter(one.origin for one in voters)
    if twice := [one.name for one in voters if uses[one.origin] > 1]:
        raise NotComparableError(f"{', '.join(twice)}: two sweeps of one model; name one")
    return voters


def votes(voters: Sequence[Voter]) -> list[Votes]:
    """Every item that any model scored, the largest change towards AAE first."""
    ids = dict.fromkeys(id_ for one in voters for id_ in one.items)
    found = []
    for id_ in ids:
        items = [one.items[id_] for one in voters if id_ in one.items]
        context, aae, sae = (str(items[0][name]) for name in TEXTS)
        before = sum(item["before"] < 0 for item in items)
        after = sum(item["after"] < 0 for item in items)
        found.append(Votes(id_, before, after, len(items), (context, aae, sae)))
    return sorted(found, key=lambda one: (one.after - one.before, one.id))


def vote_sheets(voters: Sequence[Voter], found: Sequence[Votes]) -> list[Sheet]:
    """Models, distribution, and the items with the largest change."""
    return [_models(voters), _distribution(voters, found), _largest(found)]


def _models(voters: Sequence[Voter]) -> Sheet:
    columns = (
        Column("model", left=True),
        *map(Column, ("β", "β scale", "items", "SAE before", "after")),
    )
    shown = short_names([path for one in voters for path in (one.pretrained, one.peft) if path])
    rows = []
    for one in voters:
        counts = [
            sum(item[when] < 0 for item in one.items.values()) for when in ("before", "after")
        ]
        short = replace(one, pretrained=shown[one.pretrained], peft=shown.get(one.peft, ""))
        numbers = (f"{one.beta:g}", one.scale, len(one.items), *counts)
        rows.append((Cell(short.name), *(Cell(str(number)) for number in numbers)))
    return Sheet("Models, and items whose SAE continuation they prefer", columns, tuple(rows))


def _distribution(voters: Sequence[Voter], found: Sequence[Votes]) -> Sheet:
    """How many items have how many models for the SAE continuation."""
    whole = [one for one in found if one.models == len(voters)]
    counts = [Counter(one.before for one in whole), Counter(one.after for one in whole)]
    rows = tuple(
        (Cell(f"{n}/{len(voters)}"), *(Cell(str(count[n])) for count in counts))
        for n in range(len(voters) + 1)
    )
    columns = tuple(map(Column, ("prefer SAE", "items before", "items after")))
    left = len(found) - len(whole)
    notes = (f"left out: {left} items that not all models scored.",) if left else ()
    return Sheet("Votes for the SAE continuation in the AAE context", columns, rows, notes)


def _largest(found: Sequence[Votes]) -> Sheet:
    rows = tuple(
        (
            Cell(one.id),
            Cell(f"{one.before}/{one.models}"),
            Cell(f"{one.after}/{one.models}"),
            *(Cell(" ".join(text.split())) for text in one.texts),
        )
        for one in sorted(found, key=lambda one: (-abs(one.after - one.before), one.id))[:_LISTED]
    )
    heads = (("item", True), ("before", False), ("after", False))
    texts = (("AAE context", True), ("AAE continuation", True), ("SAE continuation", True))
    columns = tuple(Column(name, left=left) for name, left in (*heads, *texts))
    return Sheet("The items with the largest change of votes (Table 10)", columns, rows)

"""What an error costs a language model: nats of log-likelihood lost per edit."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from tqdm import tqdm

from sociolect.generators.conditions import Condition
from sociolect.generators.errant_labels import family
from sociolect.generators.errors import InvalidInputError
from sociolect.generators.m2 import M2File, as_text
from sociolect.generators.rows import edits_of
from sociolect.generators.text import invert
from sociolect.harness.likelihood import Likelihood
from sociolect.harness.statistics import bootstrap_interval


@dataclass(frozen=True, slots=True)
class Unit:
    """A pair of the dataset, or a sentence of learners: texts with and without their errors.

    Attributes:
        clean: Texts without the errors.
        errored: The same with them.
        edits: How many errors there are, 1 or more.
    """

    clean: tuple[str, ...]
    errored: tuple[str, ...]
    edits: int


@dataclass(frozen=True, slots=True)
class Cost:
    """Mean over units of (log-likelihood clean − errored) / edits, in nats per edit.

    Attributes:
        units: Units in the mean.
        mean: Positive where errors make texts less likely.
        low: Lower end of the 95 % bootstrap interval over units; None for a single unit.
        high: Upper end.
        too_long: Units left out because a text is longer than the model reads.
        without_errors: Units left out because they have no error.
    """

    units: int
    mean: float
    low: float | None
    high: float | None
    too_long: int
    without_errors: int


def dataset_units(rows: Iterable[Mapping[str, Any]], condition: Condition) -> Iterator[Unit]:
    """The perturbed texts of rows; edits may be 0.

    Args:
        rows: One row of each pair.
        condition: Of the config.
    """
    for row in rows:
        edits = {part: edits_of(row, part) for part in condition.perturbed_parts}
        yield Unit(
            clean=tuple(invert(row[part], of) for part, of in edits.items()),
            errored=tuple(row[part] for part in edits),
            edits=sum(not e.is_repair for of in edits.values() for e in of),
        )


def learner_units(file: M2File, condition: Condition, size: int = 0) -> Iterator[Unit]:
    """Corrected sentences with the errors that the condition makes, all others corrected.

    Args:
        file: Learner sentences.
        condition: Names the types of error that are left in.
        size: How many sentences with such errors to take, by a hash of place and text; 0 for all.
    """
    found = []
    for sentence in file.sentences:
        kept = [e for e in sentence.edits if family(e.type) not in condition.types]
        count = len(sentence.edits) - len(kept)
        if count:
            clean, errored = sentence.corrected(sentence.edits), sentence.corrected(kept)
            key = sha256(f"{sentence.line} {errored}".encode()).digest()
            found.append((key, Unit((as_text(clean),), (as_text(errored),), count)))
    chosen = set(sorted(key for key, _ in found)[: size or None])
    return (unit for key, unit in found if key in chosen)


def cost(units: Sequence[Unit], model: Likelihood, *, progress: bool = False) -> Cost:
    """What an error costs.

    Args:
        units: Those without errors are counted and left out.
        model: The language model.
        progress: Show a progress bar on standard error.

    Raises:
        InvalidInputError: No unit is left.
    """
    errored = [u for u in units if u.edits]
    texts = [t for u in errored for t in (*u.clean, *u.errored)]
    total = len(set(texts))
    with tqdm(total=total, unit="text", disable=not progress, file=sys.stderr) as bar:
        scores = dict(zip(texts, model.score(texts, bar.update), strict=True))
    costs = [c for u in errored if (c := _cost(u, scores)) is not None]
    if not costs:
        raise InvalidInputError(
            f"nothing to score: of {len(units)} texts {len(units) - len(errored)} have no error, "
            f"{len(errored)} are longer than the model reads"
        )
    interval = bootstrap_interval(costs)
    return Cost(
        units=len(costs),
        mean=sum(costs) / len(costs),
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        too_long=len(errored) - len(costs),
        without_errors=len(units) - len(errored),
    )


def _cost(unit: Unit, scores: Mapping[str, float | None]) -> float | None:
    clean, errored = ([scores[t] for t in side] for side in (unit.clean, unit.errored))
    sums = [sum(s for s in side if s is not None) for side in (clean, errored)]
    return None if None in (*clean, *errored) else (sums[0] - sums[1]) / unit.edits

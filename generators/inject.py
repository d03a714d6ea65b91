"""Learner errors in texts: one text, or every pair of a benchmark.

>>> from sociolect.generators.inject import inject
>>> inject("The manager spoke to the clerk about the report.", level=20, types=["prep"]).text
... # doctest: +SKIP
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import sha256
from operator import attrgetter

from sociolect.generators import nlp
from sociolect.generators.benchmarks.coreference import GENDER_WORDS
from sociolect.generators.calibrate import Calibration, RateCurve, calibrate
from sociolect.generators.conditions import ERROR_TYPES, ErrorType, parse_types
from sociolect.generators.distance import counted_words, measure, planned_distance
from sociolect.generators.errors import InvalidInputError
from sociolect.generators.items import Benchmark, Item, Pair, PartName, Passage
from sociolect.generators.learner.slots import Slot
from sociolect.generators.learner.tables import shares
from sociolect.generators.select import choose, list_slots
from sociolect.generators.state import Choice
from sociolect.generators.text import Edit, Span, ordered, splice
from sociolect.generators.uniform import Uniforms
from sociolect.generators.units import Member, Unit, make_units


@dataclass(frozen=True, slots=True)
class Perturbed:
    """A text with errors.

    Attributes:
        text: The perturbed text.
        clean: The text that was given.
        edits: Errors and repairs of capitals, by position, with offsets in `clean`.
        distance: Token-level Levenshtein distance d.
        n_tokens: Counted tokens n of the longer text.
    """

    text: str
    clean: str
    edits: tuple[Edit, ...]
    distance: int
    n_tokens: int

    @property
    def error_rate(self) -> float:
        """ε = d / n in [0, 1] (learner-error paper, §3.2); 0 without counted tokens."""
        return self.distance / self.n_tokens if self.n_tokens else 0.0

    @property
    def n_edits(self) -> int:
        """Errors, without repairs of capitals."""
        return sum(not e.is_repair for e in self.edits)


class Injector:
    """The choices of one benchmark part, made once for each set of error types.

    Args:
        benchmark: The benchmark.
        part: The part that is perturbed.
        seed: The error seed.
        rules: `paper` or `careful`.
    """

    def __init__(self, benchmark: Benchmark, part: PartName, seed: int, rules: str) -> None:
        self.part: PartName = part
        self._excluded = benchmark.excluded_words
        self._rules = rules
        self.units = make_units(benchmark.pairs, part, self._excluded)
        self._uniforms = [Uniforms(seed, benchmark.scope, u.pair_id, part) for u in self.units]
        self._slots: dict[ErrorType, list[tuple[Slot, ...]]] = {}
        self._choices: dict[tuple[ErrorType, ...], list[list[Choice]]] = {}
        self._curves: dict[tuple[ErrorType, ...], tuple[RateCurve, Callable[[float], float]]] = {}

    def _slots_of(self, error_type: ErrorType) -> list[tuple[Slot, ...]]:
        if error_type not in self._slots:
            # Units of one text share their analysis (an instruction, say): list its slots once.
            seen: dict[int, tuple[Slot, ...]] = {}
            for unit in self.units:
                if id(unit.analysis) not in seen:
                    listed = list_slots(unit, (error_type,), self._rules, self._excluded)
                    seen[id(unit.analysis)] = listed
            self._slots[error_type] = [seen[id(u.analysis)] for u in self.units]
        return self._slots[error_type]

    def choices(self, types: tuple[ErrorType, ...]) -> list[list[Choice]]:
        """For each unit, every choice, in the order of the keys."""
        if types not in self._choices:
            by_type = [self._slots_of(t) for t in types]
            slots = [tuple(s for of in column for s in of) for column in zip(*by_type, strict=True)]
            self._choices[types] = choose(self.units, slots, self._uniforms, types)
        return self._choices[types]

    def forget(self, types: tuple[ErrorType, ...]) -> None:
        """Drop the choices of some error types; they are made again when asked for."""
        self._choices.pop(types, None)
        self._curves.pop(types, None)

    def calibrate(self, types: tuple[ErrorType, ...], level: float, what: str) -> Calibration:
        """Solve for the cutoff of a level in [0, 1].

        Raises:
            LevelUnreachableError: The level is out of reach.
        """
        if types not in self._curves:
            curve = RateCurve(self.units, self.choices(types))
            self._curves[types] = curve, cache(partial(self._measured, types))
        return calibrate(*self._curves[types], level, what)

    def _measured(self, types: tuple[ErrorType, ...], cutoff: float) -> float:
        """Mean ε over the rows at a cutoff."""
        rates: list[float] = []
        for unit, choices in zip(self.units, self.choices(types), strict=True):
            done = [(c.slot, c.outcome) for c in _up_to(cutoff, choices)]
            rates += unit.for_members(partial(_rate, unit, done))
        return sum(rates) / len(rates) if rates else 0.0

    def render(
        self, types: tuple[ErrorType, ...], cutoff: float
    ) -> Iterator[tuple[str, tuple[Perturbed, ...]]]:
        """Pair id and perturbed members of every unit, in the order of the benchmark."""
        for unit, choices in zip(self.units, self.choices(types), strict=True):
            yield unit.pair_id, _perturb(unit, _up_to(cutoff, choices))


def clean_texts(benchmark: Benchmark, part: PartName) -> list[tuple[Perturbed, ...]]:
    """The texts of one part without an edit, pair by pair; their tokens are counted, not tagged."""

    def clean(passage: Passage) -> Perturbed:
        counted = len(counted_words(passage.text, passage.protected))
        return Perturbed(passage.text, passage.text, (), 0, counted)

    return [tuple(clean(item.parts[part]) for item in pair.members) for pair in benchmark.pairs]


def _up_to(cutoff: float, choices: Sequence[Choice]) -> Sequence[Choice]:
    """The choices of a condition, out of all in the order of their keys."""
    return choices[: bisect_right(choices, cutoff, key=attrgetter("key"))]


def _rate(unit: Unit, done: Sequence[tuple[Slot, str]], index: int) -> float:
    distance, length = planned_distance(unit.members[index], done)
    return distance / length if length else 0.0


def _perturb(unit: Unit, taken: Sequence[Choice]) -> tuple[Perturbed, ...]:
    done = [(c.slot, c.outcome) for c in taken]
    return unit.for_members(lambda m: _perturb_member(unit.members[m], m, taken, done))


def _perturb_member(
    member: Member, index: int, taken: Sequence[Choice], done: Sequence[tuple[Slot, str]]
) -> Perturbed:
    edits = ordered(e for c in taken for e in c.edits[index])
    text = splice(member.text, edits)
    distance, length = planned_distance(member, done)
    return Perturbed(text, member.text, tuple(edits), distance, length)


@dataclass(frozen=True, slots=True)
class MixRow:
    """Realised against wanted frequency of one kind of error."""

    type: str
    operation: str
    subtype: str
    count: int
    share: float
    wanted: float


def realised_mix(types: Iterable[ErrorType], edits: Iterable[Edit]) -> list[MixRow]:
    """Count edits by kind and set them beside the corpus shares.

    Args:
        types: The error types that were injected.
        edits: Edits of one member a pair (the members share them).
    """
    counts = Counter((e.type, e.operation, e.subtype) for e in edits if not e.is_repair)
    total = sum(counts.values())
    return [
        MixRow(*pool, counts[pool], counts[pool] / total if total else 0.0, wanted)
        for pool, wanted in shares(types).items()
    ]


def inject(
    text: str,
    *,
    level: float = 20,
    types: Iterable[str] = ERROR_TYPES,
    seed: int = 0,
    rules: str = "paper",
    protected: Iterable[Span] = (),
) -> Perturbed:
    """Put learner errors into one text.

    The number of errors is the one whose rate is nearest to the level for this text alone; a
    benchmark is calibrated as a whole (`sociolect.generators.build`).

    Args:
        text: English text.
        level: Wanted error rate, in per cent of the counted tokens, in (0, 100].
        types: Error types among `det`, `prep`, `verb`, `spell`; several are mixed by their FCE
            shares.
        seed: Error seed.
        rules: `paper` or `careful`.
        protected: Character spans that stay as they are.

    Raises:
        InvalidInputError: The text is empty, or holds nothing that these types can change.
        LevelUnreachableError: The level is out of reach for this text.
        UnknownNameError: An unknown type or rule set.
    """
    chosen = parse_types(types)
    if not chosen:
        raise InvalidInputError(f"no error type given; choose among {', '.join(ERROR_TYPES)}")
    if not 0 < level <= 100:
        raise InvalidInputError(f"level must be above 0 and at most 100 per cent, not {level}")
    if seed < 0:
        raise InvalidInputError(f"the seed must be 0 or more, not {seed}")
    _check_text(text)
    passage = Passage(text, tuple(protected))
    injector = Injector(_as_benchmark(passage), "input", seed, rules)
    if not injector.choices(chosen)[0]:
        raise InvalidInputError(
            f"no token of the text is eligible for {', '.join(chosen)} errors under the {rules} "
            f"rules: {text[:60]!r}"
        )
    found = injector.calibrate(chosen, level / 100, f"this text, {'+'.join(chosen)}")
    ((_, (perturbed,)),) = injector.render(chosen, found.cutoff)
    # In a text that is no plain English the tokenizer may cut an errored word differently.
    distance, n_tokens = measure(text, passage.protected, perturbed.edits, perturbed.text)
    return replace(perturbed, distance=distance, n_tokens=n_tokens)


def _check_text(text: str) -> None:
    if not text.strip():
        raise InvalidInputError("the text is empty")
    broken = next((i for i, c in enumerate(text) if "\ud800" <= c <= "\udfff"), None)
    if broken is not None:
        raise InvalidInputError(
            f"the text is not valid Unicode at character {broken}: is it UTF-8?"
        )
    longest = nlp.tagger().max_length
    if len(text) > longest:
        raise InvalidInputError(
            f"the text has {len(text)} characters, more than the {longest} that the tagger takes; "
            "give it in pieces"
        )


def _as_benchmark(passage: Passage) -> Benchmark:
    # Named by its content: texts that begin alike would otherwise all get the same errors.
    name = sha256(passage.text.encode()).hexdigest()[:16]
    item = Item(name, name, "text", "", "", {"input": passage}, "", (), -1, -1)
    return Benchmark("text", "", (Pair(name, (item,)),), GENDER_WORDS)

"""Surface noise in one text, or in the inputs of a benchmark (noise paper, §3.2 and App. C)."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from sociolect.generators.benchmarks.coreference import GENDER_WORDS
from sociolect.generators.conditions import NOISES, parts_of
from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.generators.items import Benchmark, Item, Pair, Passage
from sociolect.generators.noise import colloquial, informal, punct, typo
from sociolect.generators.noise.combined import combine
from sociolect.generators.noise.options import DEFAULT_NOISE, NoiseOptions
from sociolect.generators.noise.realised import Realised, realised
from sociolect.generators.noise.slots import Draws, Slot, by_position
from sociolect.generators.noise.units import Unit, make_unit
from sociolect.generators.text import Edit, Span
from sociolect.generators.uniform import Uniforms


@dataclass(frozen=True, slots=True)
class Noised:
    """A text with noise.

    Attributes:
        text: The noisy text.
        clean: The text that was given.
        edits: By position, with offsets in `clean`.
        change: What changed, as measured.
    """

    text: str
    clean: str
    edits: tuple[Edit, ...]
    change: Realised


@contextmanager
def _without_collector() -> Iterator[None]:
    """Pauses the collector of reference cycles, which made up a third of the time.

    Millions of small objects are made and kept here, none of them in a cycle, and the collector
    would look through all of them again and again.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Choice(NamedTuple):
    """The edits of all members, made at low < p ≤ high."""

    low: float
    high: float
    edits: tuple[Edit, ...]


class NoiseInjector:
    """The noise of a benchmark: every slot found once, then rendered at any probability.

    Args:
        benchmark: The benchmark; noise falls on the inputs.
        seed: The seed.
        options: Choices about the noise.
    """

    def __init__(
        self, benchmark: Benchmark, seed: int, options: NoiseOptions = DEFAULT_NOISE
    ) -> None:
        scope = benchmark.noise_scope or benchmark.scope
        self._excluded = benchmark.excluded_words
        with _without_collector():
            self._units = [make_unit(pair) for pair in benchmark.pairs]
        shared = options.draws == "shared"
        self._draws = [
            Draws(Uniforms(seed, scope, u.pair_id, "input"), shared) for u in self._units
        ]
        self._slots: dict[str, list[list[Slot]]] = {}
        self._choices: dict[str, list[list[_Choice]]] = {}

    def clean(self) -> list[tuple[Noised, ...]]:
        """The members of every pair without an edit, in the order of the benchmark."""
        return [_render(unit, ()) for unit in self._units]

    def render(self, transform: str, p: float) -> list[tuple[Noised, ...]]:
        """The members of every pair with noise, in the order of the benchmark.

        Args:
            transform: One of `NOISES`.
            p: Probability of an edit attempt, in (0, 1].

        Raises:
            InvalidInputError: p is out of range.
            UnknownNameError: Another transform.
        """
        if not 0 < p <= 1:
            raise InvalidInputError(f"p must be above 0 and at most 1, not {p}")
        with _without_collector():
            if transform not in self._choices:
                self._choices[transform] = self._choices_of(transform)
            return [
                _render(unit, [edits for low, high, edits in choices if low < p <= high])
                for unit, choices in zip(self._units, self._choices[transform], strict=True)
            ]

    def _choices_of(self, transform: str) -> list[list[_Choice]]:
        if transform not in NOISES:
            raise UnknownNameError("transform", transform, NOISES)
        of_parts = zip(*(self._slots_of(part) for part in parts_of(transform)), strict=True)
        return [
            [_Choice(s.low, s.high, unit.edits(s.token, s.edit)) for s in combine(*slots)]
            for unit, slots in zip(self._units, of_parts, strict=True)
        ]

    def _slots_of(self, transform: str) -> list[list[Slot]]:
        if transform not in self._slots:
            both = zip(self._units, self._draws, strict=True)
            self._slots[transform] = [_slots(transform, u, d, self._excluded) for u, d in both]
        return self._slots[transform]


def _slots(transform: str, unit: Unit, draws: Draws, excluded: frozenset[str]) -> list[Slot]:
    """The slots of one kind of noise in a unit, by position."""
    text, tokens = unit.passages[0].text, unit.tokens
    found: Iterable[Slot]
    if transform == "typo":
        found = typo.slots(tokens, draws, excluded, frozenset(t.plain for t in tokens))
    elif transform == "informal":
        found = informal.slots(text, tokens, draws, excluded)
    elif transform == "punct":
        found = punct.slots(text, tokens, draws, excluded)
    else:
        found = colloquial.slots(text, tokens, draws, excluded)
    if not unit.is_open:
        found = (s for s in found if unit.edits(s.token, s.edit))
    return sorted(found, key=by_position)


def _render(unit: Unit, chosen: Sequence[tuple[Edit, ...]]) -> tuple[Noised, ...]:
    made: list[Noised] = []
    for member, passage in enumerate(unit.passages):
        same = unit.same_as[member]
        if same < member:
            made.append(made[same])
            continue
        edits = tuple([of[member] for of in chosen])
        text = _splice(passage.text, edits)
        made.append(Noised(text, passage.text, edits, realised(passage.text, text)))
    return tuple(made)


def _splice(text: str, edits: Sequence[Edit]) -> str:
    """`sociolect.generators.text.splice` for edits that are known to fit."""
    pieces: list[str] = []
    at = 0
    for edit in edits:
        pieces.append(text[at : edit.start])
        pieces.append(edit.replacement)
        at = edit.end
    pieces.append(text[at:])
    return "".join(pieces)


def noise(
    text: str,
    *,
    transform: str,
    p: float,
    seed: int = 0,
    draws: str = "independent",
    protected: Iterable[Span] = (),
) -> Noised:
    """Put noise into one text; a text that holds nothing to change comes back as it is.

    Args:
        text: English text.
        transform: `typo`, `informal`, `punct`, `colloquial` or `combined`.
        p: Probability of an edit attempt, in (0, 1]; the realised change is another number.
        seed: The seed.
        draws: `independent` or `shared`, see `NoiseOptions`.
        protected: Character spans that stay as they are.

    Raises:
        InvalidInputError: p or the seed is out of range, a span reaches past the end, or the text
            is not valid Unicode.
        UnknownNameError: Another transform or way to draw.
    """
    if seed < 0:
        raise InvalidInputError(f"the seed must be 0 or more, not {seed}")
    broken = next((i for i, c in enumerate(text) if "\ud800" <= c <= "\udfff"), None)
    if broken is not None:
        raise InvalidInputError(
            f"the text is not valid Unicode at character {broken}: is it UTF-8?"
        )
    injector = NoiseInjector(_as_benchmark(text, protected), seed, NoiseOptions(draws))
    return injector.render(transform, p)[0][0]


def _as_benchmark(text: str, protected: Iterable[Span]) -> Benchmark:
    # Named by its content: texts that begin alike would otherwise all get the same noise.
    name = sha256(text.encode()).hexdigest()[:16]
    passage = Passage(text, tuple(protected))
    item = Item(name, name, "text", "", "", {"input": passage}, "", (), -1, -1)
    return Benchmark("text", "", (Pair(name, (item,)),), GENDER_WORDS)

"""Units of perturbation: one part of a counterfactual pair, with the tokens its members share.

The first member is parsed and its tags serve all members, so a tagger that reads *her* and
*him* differently cannot make the edits differ. Tokens that some member lacks are protected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate
from typing import TypeVar

from spacy.tokens import Doc

from sociolect.generators import nlp, parses
from sociolect.generators.analysis import Analysis, analyse, counted_tokens, covered
from sociolect.generators.items import Pair, PartName, Passage
from sociolect.generators.text import Span

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Member:
    """A text of a unit.

    Attributes:
        offsets: For each token of the parsed member, where the token at the same place starts
            in this one; None if there is none.
        counted: The tokens that count for the error rate, in lower case.
        ranks: For each token of the parsed member, how many counted tokens stand before its
            place in this one; -1 if it has no place.
    """

    text: str
    protected: tuple[Span, ...]
    offsets: tuple[int | None, ...]
    counted: tuple[str, ...]
    ranks: tuple[int, ...]

    @property
    def n_counted(self) -> int:
        """The number of tokens in the denominator of the error rate."""
        return len(self.counted)


@dataclass(frozen=True)
class Unit:
    """Texts that receive identical edits.

    Attributes:
        members: The texts; members with the same text are one object.
        variants: For each token of the parsed member, the texts that stand at its place.
        shared: For each token, whether all members have the same one.
    """

    pair_id: str
    part: PartName
    analysis: Analysis
    members: tuple[Member, ...]
    variants: tuple[frozenset[str], ...]
    shared: tuple[bool, ...]

    def for_members(self, make: Callable[[int], T]) -> tuple[T, ...]:
        """`make(i)` for each member, made once for members with the same text."""
        made: list[T] = []
        for i, member in enumerate(self.members):
            same = next((j for j in range(i) if self.members[j] is member), None)
            made.append(make(i) if same is None else made[same])
        return tuple(made)


Alignment = list[int | None]


def align(first: Doc, other: Doc) -> Alignment:
    """For each token of `first`, the token of `other` at its place, or None.

    Tokens are at the same place when they are equal, or when equally many differ between two
    equal stretches (the pronouns of a pair).
    """
    if first.text == other.text:
        return list(range(len(first)))
    a, b = [t.text for t in first], [t.text for t in other]
    result: Alignment = [None] * len(a)
    for tag, i1, i2, j1, j2 in SequenceMatcher(a=a, b=b, autojunk=False).get_opcodes():
        if tag == "equal" or (tag == "replace" and i2 - i1 == j2 - j1):
            for i, j in zip(range(i1, i2), range(j1, j2), strict=True):
                result[i] = j
    return result


def _insertable(places: Alignment, shared: Sequence[bool], inside: Sequence[bool]) -> list[bool]:
    """For each token, whether the gap before it exists in the other member, unprotected."""
    flags = []
    for i, j in enumerate(places):
        before = places[i - 1] if i else -1
        anchored = shared[i] or i == 0 or shared[i - 1]
        if j is None or before is None or j != before + 1:
            flags.append(False)
        else:
            flags.append(anchored and not inside[j])
    return flags


def _inside(doc: Doc, passage: Passage) -> list[bool]:
    """For each token, whether it starts inside a protected span (nothing goes before it)."""
    return [any(s.start < t.idx < s.end for s in passage.protected) for t in doc]


def make_unit(
    pair: Pair, part: PartName, parsed: Doc, excluded: frozenset[str] = frozenset()
) -> Unit:
    """Describe one part of a pair.

    Args:
        pair: The pair.
        part: Which of its texts.
        parsed: The parsed text of the first member.
        excluded: Lower-case words that are never edited.
    """
    passages = [item.parts[part] for item in pair.members]
    docs = [parsed if p.text == parsed.text else nlp.tokenize(p.text) for p in passages]
    places = [align(parsed, doc) for doc in docs]
    texts = [
        [None if j is None else doc[j].text for j in at]
        for doc, at in zip(docs, places, strict=True)
    ]
    shared = [len(set(column)) == 1 for column in zip(*texts, strict=True)]
    hidden = [covered(d, p.protected) for d, p in zip(docs, passages, strict=True)]
    protected = [
        any(j is not None and h[j] for h, j in zip(hidden, column, strict=True))
        for column in zip(*places, strict=True)
    ]
    gaps = [
        _insertable(at, shared, _inside(d, p))
        for at, d, p in zip(places, docs, passages, strict=True)
    ]
    insertable = [all(column) for column in zip(*gaps, strict=True)]
    members = {
        passage: _member(passage, doc, at, hides)
        for passage, doc, at, hides in zip(passages, docs, places, hidden, strict=True)
    }
    return Unit(
        pair_id=pair.id,
        part=part,
        analysis=analyse(parsed, protected, shared, insertable, excluded),
        members=tuple(members[passage] for passage in passages),
        variants=tuple(frozenset(t for t in c if t) for c in zip(*texts, strict=True)),
        shared=tuple(shared),
    )


def _member(passage: Passage, doc: Doc, places: Alignment, hidden: Sequence[bool]) -> Member:
    flags = counted_tokens(doc, hidden)
    before = [0, *accumulate(flags)]
    return Member(
        text=passage.text,
        protected=passage.protected,
        offsets=tuple(None if j is None else doc[j].idx for j in places),
        counted=tuple(t.lower_ for t, counts in zip(doc, flags, strict=True) if counts),
        ranks=tuple(-1 if j is None else before[j] for j in places),
    )


def make_units(
    pairs: Iterable[Pair], part: PartName, excluded: frozenset[str] = frozenset()
) -> list[Unit]:
    """The units of one part of a benchmark; each distinct text is parsed once."""
    pairs = list(pairs)
    firsts = [pair.members[0].parts[part].text for pair in pairs]
    distinct = list(dict.fromkeys(firsts))
    parsed = dict(zip(distinct, parses.parsed(distinct), strict=True))
    known: dict[tuple[Passage, ...], Unit] = {}
    units = []
    for pair, text in zip(pairs, firsts, strict=True):
        passages = tuple(item.parts[part] for item in pair.members)
        if passages not in known:
            known[passages] = make_unit(pair, part, parsed[text], excluded)
        template = known[passages]
        units.append(
            template
            if template.pair_id == pair.id
            else Unit(pair.id, part, template.analysis, *_rest(template))
        )
    return units


def _rest(unit: Unit) -> tuple[tuple[Member, ...], tuple[frozenset[str], ...], tuple[bool, ...]]:
    return unit.members, unit.variants, unit.shared

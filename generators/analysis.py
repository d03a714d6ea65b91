"""The tokens of a text as the error rules see them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from spacy.tokens import Doc

from sociolect.generators.text import Edit, Span

_OPENING = frozenset("\"'\u201c\u2018([{")
_SENTENCE_END = frozenset(".!?…")


@dataclass(frozen=True, slots=True)
class Word:
    """A token: its place, its tags, and what may happen to it.

    Attributes:
        index: Place in the document.
        lower: The token in lower case.
        silent: Whether it is white space or punctuation.
        counted: Whether it is one of the n tokens of the error rate: neither silent nor
            protected.
        editable: Whether errors may fall on it: counted, shared by all members of the pair,
            no proper noun or excluded word, and not a piece of a contraction or of a hyphenated
            word.
        insertable: Whether a word may be put before it.
        opens_sentence: Whether its capital belongs to the sentence and not to the word.
    """

    index: int
    text: str
    lower: str
    start: int
    end: int
    pos: str
    tag: str
    dep: str
    lemma: str
    head: int
    silent: bool
    counted: bool
    editable: bool
    insertable: bool
    opens_sentence: bool

    @property
    def is_plain(self) -> bool:
        """Whether it consists of ASCII letters."""
        return self.text.isascii() and self.text.isalpha()


@dataclass(frozen=True)
class Analysis:
    """A parsed text with its protected spans."""

    doc: Doc
    words: tuple[Word, ...]

    @property
    def text(self) -> str:
        """The clean text."""
        return self.doc.text

    @cached_property
    def n_counted(self) -> int:
        """The number of tokens in the denominator of the error rate."""
        return sum(w.counted for w in self.words)

    @cached_property
    def left_counted(self) -> tuple[int, ...]:
        """For each token, the nearest counted token before it (-1 if none)."""
        nearest, last = [], -1
        for word in self.words:
            nearest.append(last)
            last = word.index if word.counted else last
        return tuple(nearest)

    @cached_property
    def right_counted(self) -> tuple[int, ...]:
        """For each token, the nearest counted token at or after it (their number if none)."""
        nearest, last = [], len(self.words)
        for word in reversed(self.words):
            last = word.index if word.counted else last
            nearest.append(last)
        return tuple(reversed(nearest))

    @cached_property
    def reach(self) -> tuple[tuple[int, int], ...]:
        """For each gap before a token, the third word before it and the third from it on.

        -1 and the number of tokens stand for places outside the text.
        """
        heard = [w.index for w in self.words if not w.silent]
        places = []
        for gap in range(len(self.words) + 1):
            at = bisect_left(heard, gap)
            left = heard[at - 3] if at >= 3 else -1
            right = heard[at + 2] if at + 2 < len(heard) else len(self.words)
            places.append((left, right))
        return tuple(places)

    @cached_property
    def phrase_heads(self) -> dict[int, int]:
        """The head of each noun phrase, by the token that the phrase starts with."""
        return {chunk.start: chunk.root.i for chunk in self.doc.noun_chunks}

    @cached_property
    def children(self) -> tuple[tuple[Word, ...], ...]:
        """For each token, the tokens that depend on it."""
        found: list[list[Word]] = [[] for _ in self.words]
        for word in self.words:
            if word.head != word.index:
                found[word.head].append(word)
        return tuple(map(tuple, found))

    def before(self, index: int) -> Word | None:
        """The token before `index`, white space skipped."""
        for word in reversed(self.words[:index]):
            if word.pos != "SPACE":
                return word
        return None


def covered(doc: Doc, spans: Sequence[Span]) -> list[bool]:
    """For each token, whether it lies in or touches one of the spans."""
    flags = []
    for token in doc:
        start, end = token.idx, token.idx + len(token)
        flags.append(any(start < s.end and end > s.start for s in spans))
    return flags


def _after_space(doc: Doc, index: int) -> bool:
    return index == 0 or bool(doc[index - 1].whitespace_) or bool(doc[index - 1].is_space)


def _glued(doc: Doc, index: int) -> bool:
    """Whether a token is written together with a neighbour that is not mere punctuation."""
    token = doc[index]
    if index and not doc[index - 1].whitespace_ and not doc[index - 1].is_space:
        before = doc[index - 1]
        if not (before.is_punct and before.text in _OPENING):
            return True
    if not token.whitespace_ and index + 1 < len(doc):
        after = doc[index + 1]
        closing = after.is_punct and after.text not in ("-", "–", "\u2014", "/", "'", "’")
        # A possessive leaves its noun whole; every other clitic is part of a contraction.
        possessive = after.tag_ == "POS" and token.pos_ in ("NOUN", "ADJ", "PRON", "NUM")
        return not (closing or after.is_space or possessive)
    return False


def _opens_sentence(doc: Doc, index: int) -> bool:
    """Whether only quotes, brackets and white space stand between a token and a sentence start."""
    at = index - 1
    while at >= 0 and (doc[at].is_space or doc[at].is_quote or doc[at].is_bracket):
        if doc[at].is_space and "\n" in doc[at].text:
            return True
        at -= 1
    if at < 0 or doc[at].text[-1:] not in _SENTENCE_END:
        return at < 0
    # The point of an abbreviation (*Mr.*) belongs to its token; the parser knows which ends.
    return doc[at].is_punct or any(doc[i].is_sent_start for i in range(at + 1, index + 1))


def counted_tokens(doc: Doc, protected: Sequence[bool]) -> list[bool]:
    """For each token, whether it counts: neither space nor punctuation nor protected."""
    return [not (t.is_space or t.is_punct or p) for t, p in zip(doc, protected, strict=True)]


def analyse(
    doc: Doc,
    protected: Sequence[bool],
    shared: Sequence[bool] | None = None,
    insertable: Sequence[bool] | None = None,
    excluded: frozenset[str] = frozenset(),
) -> Analysis:
    """Describe the tokens of a parsed text.

    Args:
        doc: The parsed text.
        protected: For each token, whether no error may touch it.
        shared: For each token, whether every member of the pair has it (default: all).
        insertable: For each token, whether a word may be put before it in every member of the
            pair (default: all).
        excluded: Lower-case words that are never edited (gender words, entities).
    """
    counted = counted_tokens(doc, protected)
    shared = [True] * len(doc) if shared is None else shared
    insertable = [True] * len(doc) if insertable is None else insertable
    words = tuple(
        Word(
            index=i,
            text=t.text,
            lower=t.text.lower(),
            start=t.idx,
            end=t.idx + len(t),
            pos=t.pos_,
            tag=t.tag_,
            dep=t.dep_,
            lemma=t.lemma_.lower(),
            head=t.head.i,
            silent=t.is_space or t.is_punct,
            counted=counted[i],
            editable=counted[i]
            and shared[i]
            and t.pos_ != "PROPN"
            and t.lower_ not in excluded
            and not _glued(doc, i),
            insertable=insertable[i] and _after_space(doc, i) and not (t.is_space or t.is_punct),
            opens_sentence=_opens_sentence(doc, i),
        )
        for i, t in enumerate(doc)
    )
    return Analysis(doc, words)


def follow_case(original: str, replacement: str) -> str:
    """`replacement` with the capitals of `original`: none, the first letter, or all."""
    if len(original) > 1 and original.isupper():
        return replacement.upper()
    if original[:1].isupper():
        return replacement[:1].upper() + replacement[1:]
    return replacement


def deletion_range(text: str, span: Span) -> Span:
    """What a deleted token takes with it: the white space behind it, else that before it.

    A line break survives wherever there is other white space to take.
    """
    start, end = span.start, span.end
    while start > 0 and text[start - 1].isspace():
        start -= 1
    while end < len(text) and text[end].isspace():
        end += 1
    before, after = text[start : span.start], text[span.end : end]
    if after and not ("\n" in after and before and "\n" not in before):
        return Span(span.start, end)
    return Span(start, span.end)


def recase(text: str, at: int, upper: bool) -> Edit | None:
    """The repair that gives the letter at `at` its capital or takes it away, if needed."""
    letter = text[at]
    wanted = letter.upper() if upper else letter.lower()
    if wanted == letter or len(wanted) != 1:
        return None
    return Edit(at, at + 1, letter, wanted, "case", "repair")

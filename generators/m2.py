"""M2 files: learner sentences with corrections, the format of ERRANT and of the GEC corpora.

    S This are a sentence .
    A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0

`S` holds tokens separated by single spaces. An `A` line replaces the tokens from start up to end
by a correction; `noop` says that an annotator changed nothing. Blank lines separate sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from sociolect.generators.errors import DataError, InvalidInputError
from sociolect.generators.source_text import quoted, whole_number

NOOP = "noop"
_EMPTY = "-NONE-"
_FIELDS = 6
_SHOWN = 20


_NO_SPACE_BEFORE = re.compile(
    r" (?=[.,;:!?%)\]}](?: |$)|n't(?: |$)|['’](?:s|m|d|re|ve|ll)(?: |$))", re.IGNORECASE
)
_NO_SPACE_AFTER = re.compile(r"(?<=[(\[{]) ")


def as_text(tokens: str) -> str:
    """Tokens joined by spaces as running text: marks, brackets and contractions take no space.

    Quotation marks keep theirs, since they do not show on which side they stand.
    """
    return _NO_SPACE_AFTER.sub("", _NO_SPACE_BEFORE.sub("", tokens))


@dataclass(frozen=True, slots=True)
class M2Edit:
    """A correction of the tokens in [start, end); an insertion if they are equal.

    Attributes:
        type: ERRANT type as `R:VERB:SVA`.
        correction: Tokens that stand there afterwards, joined by spaces; empty for a deletion.
        line: Line of the file, from 1.
    """

    start: int
    end: int
    type: str
    correction: str
    line: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A learner sentence with the edits of one annotator, in the order of the text."""

    tokens: tuple[str, ...]
    edits: tuple[M2Edit, ...]
    line: int

    def original(self, edit: M2Edit) -> str:
        """The tokens that an edit replaces, joined by spaces."""
        return " ".join(self.tokens[edit.start : edit.end])

    def corrected(self, edits: Iterable[M2Edit]) -> str:
        """The sentence with some of its edits made, tokens joined by spaces."""
        pieces: list[str] = []
        at = 0
        for edit in edits:
            pieces += self.tokens[at : edit.start]
            pieces += [edit.correction] if edit.correction else []
            at = edit.end
        return " ".join((*pieces, *self.tokens[at:]))


@dataclass(frozen=True, slots=True)
class M2File:
    """The sentences that one annotator has seen.

    Attributes:
        name: Name of the file.
        not_annotated: Sentences that only other annotators have seen; they are left out.
    """

    name: str
    sentences: tuple[Sentence, ...]
    not_annotated: int


def read_m2(path: Path, annotator: int = 0) -> M2File:
    """Read an M2 file.

    Args:
        path: The file, UTF-8.
        annotator: Whose corrections to take. A sentence without any `A` line is taken as
            correct for all.

    Raises:
        DataError: The file is malformed; the message names file and line.
        InvalidInputError: The file cannot be read, is empty, or has no such annotator.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidInputError(f"cannot read {path} ({error.strerror})") from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(f"{path}:{line}: not UTF-8 ({error.reason})") from error
    blocks = list(_blocks(text, path))
    if not blocks:
        raise InvalidInputError(f"{path} holds no sentence")
    sentences, others, known = [], 0, set[int]()
    for block in blocks:
        known.update(block.edits)
        if block.edits and annotator not in block.edits:
            others += 1
            continue
        edits = block.edits.get(annotator, [])
        sentences.append(Sentence(block.tokens, _ordered(edits, path), block.line))
    if known and annotator not in known:
        some = ", ".join(map(str, sorted(known)[:_SHOWN]))
        raise InvalidInputError(f"{path} has no annotator {annotator}; it has {some}")
    return M2File(path.name, tuple(sentences), others)


@dataclass(frozen=True, slots=True)
class _Block:
    """A sentence with the edits of every annotator who has seen it."""

    tokens: tuple[str, ...]
    line: int
    edits: dict[int, list[M2Edit]]


def _blocks(text: str, path: Path) -> Iterator[_Block]:
    block: _Block | None = None
    # Only these end a line: tokens may hold U+2028, U+0085 and other ends of `splitlines`.
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.removesuffix("\r")
        where = f"{path}:{number}"
        if not line:
            if block is not None:
                yield block
            block = None
        elif line == "S" or line.startswith("S "):
            if block is not None:
                raise DataError(f"{where}: a second S line; a blank line must end a sentence")
            block = _Block(_tokens(line[2:], where), number, {})
        elif line.startswith("A "):
            if block is None:
                raise DataError(f"{where}: an A line without an S line before it")
            annotator, edit = _edit(line[2:], len(block.tokens), where, number)
            of_annotator = block.edits.setdefault(annotator, [])
            if edit is not None:
                of_annotator.append(edit)
        else:
            raise DataError(f"{where}: a line must begin with 'S ' or 'A ', not {line[:20]!r}")
    if block is not None:
        yield block


def _tokens(text: str, where: str) -> tuple[str, ...]:
    tokens = tuple(text.split(" ")) if text else ()
    if "" in tokens:
        raise DataError(f"{where}: tokens must be separated by single spaces")
    return tokens


def _edit(line: str, n_tokens: int, where: str, number: int) -> tuple[int, M2Edit | None]:
    """Annotator and edit; no edit for `noop`."""
    fields = line.split("|||")
    if len(fields) != _FIELDS:
        raise DataError(f"{where}: {len(fields)} fields separated by '|||', expected {_FIELDS}")
    span, kind, correction, _, _, annotator = fields
    numbers = [_number(n, where) for n in span.split(" ")]
    if len(numbers) != 2:
        raise DataError(f"{where}: expected two token offsets, found {quoted(span)}")
    if kind == NOOP:
        return _number(annotator, where), None
    start, end = numbers
    if not 0 <= start <= end <= n_tokens:
        raise DataError(
            f"{where}: tokens {start} to {end} are not in a sentence of {n_tokens} tokens"
        )
    if not kind:
        raise DataError(f"{where}: an edit without a type")
    first = correction.split("||")[0]  # what follows are alternatives
    made = "" if first == _EMPTY else first
    return _number(annotator, where), M2Edit(start, end, kind, made, number)


def _number(text: str, where: str) -> int:
    size = whole_number(text.removeprefix("-"))
    if size is None:
        raise DataError(f"{where}: expected a number of up to nine digits, found {quoted(text)}")
    return -size if text.startswith("-") else size


def _ordered(edits: list[M2Edit], path: Path) -> tuple[M2Edit, ...]:
    """Edits in the order of the text; insertions at one place keep that of the file."""
    result = sorted(edits, key=lambda e: (e.start, e.end))
    for before, after in pairwise(result):
        if after.start < before.end:
            raise DataError(f"{path}:{after.line}: overlaps the edit of line {before.line}")
    return tuple(result)

"""WinoGrande 1.1 (Sakaguchi et al., 2021) without gender words and WinoBias occupations.

An item is a sentence with a blank and two candidates that stand in it. The learner-error paper
(§4 and C.3) trains on the items that hold neither "an explicit gender word" nor "a WinoBias
occupation", so that what is learnt cannot be the association that WinoBias measures, and checks
the result on the validation items that pass the same filter. How it is read here:

- A gender word is one of `coreference.GENDER_WORDS`, pronouns included. A first name is none: the
  paper says *explicit*, and 747 of 1,267 validation items choose between two names.
- An occupation is one of the 40 names of WinoBias, singular or plural. Of *construction worker*
  the name counts, not each of its words.
- Both are whole words of the sentence or of an option, in any case, and each item is judged for
  itself.

871 of 1,267 validation items and 6,880 of 10,234 training items (split `train_l`) pass. The paper
keeps 880 validation items and does not print its lists. Other readings of its sentence keep 936
(pronouns alone), 909 (pronouns, occupations), 876 (pronouns and WinoBias's lists of gendered words,
occupations), 869 (each word of an occupation) and 300 (first names as gender words). Pronouns,
people and kin (*man*, *mother*) with occupations keep 880: the nine items of difference hold
*actor*, *bride*, *maid*, *masculine*, *nanny*, *pregnant* or *salesman*.

What else the files hold:

- All training and 568 validation items are twins: the two share all but a word or two and, in
  `qID`, all but `-1` and `-2` (the *stem*). Twins are separate items, no counterfactual pairs.
  Validation and training share no stem; a training item that did would be dropped.
- A file of labels beside each file of items repeats the answers; a difference is an error.
- Every mention of a candidate is protected, without its article, also in another case or as a
  plural. Six of the training items that pass name one in no such form (*clothe* for *cloth*).
- Sentences stay as published, with their slips, without white space at their ends.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sociolect.generators.benchmarks import winobias
from sociolect.generators.benchmarks.coreference import GENDER_WORDS, Occupations, plural
from sociolect.generators.errors import SourceError
from sociolect.generators.items import Benchmark, Dropped, Item, Pair, Passage
from sociolect.generators.source_text import check_text, quoted
from sociolect.generators.sources import PinnedFile, fetch_texts
from sociolect.generators.text import Span

NAME = "winogrande"
TRAIN_NAME = "winogrande_train"
LICENCE = "CC-BY-2.0"
COMMIT = "ea61adac"
_ROOT = f"https://raw.githubusercontent.com/zhang-edward/WinoGrande/{COMMIT}/data"


def _pinned(name: str, sha256: str) -> PinnedFile:
    return PinnedFile(f"{NAME}/{name}", sha256, f"{_ROOT}/{name}")


_DEV = _pinned("dev.jsonl", "1aeac79cf46a3dcbe59a71ca7e5372a1490cde2b4ae2387dc56f00378104d2e8")
_DEV_LABELS = _pinned(
    "dev-labels.lst", "5ae1e30f52a50b880515685dcfae7d57649cce256d375947cdd02f687de7e6ba"
)
_TRAIN = _pinned(
    "train_l.jsonl", "4263afcab36b27dc6c3683a60806d3bc11ac593ca1814f27c5b51f9357d399c8"
)
_TRAIN_LABELS = _pinned(
    "train_l-labels.lst", "9a12df93c537a5db3a452226ee743d770fe0b1ac40925093893781350e4fde25"
)
_OCCUPATIONS = tuple(f for f in winobias.FILES if f.name.endswith("male_occupations.txt"))
FILES: tuple[PinnedFile, ...] = (_DEV, _DEV_LABELS, *_OCCUPATIONS)
"""Everything that `load` reads, in the order of the manifest."""
TRAIN_FILES: tuple[PinnedFile, ...] = (_TRAIN, _TRAIN_LABELS, _DEV, *_OCCUPATIONS)
"""Everything that `load_train` reads, in the order of the manifest."""

QUESTION = "Which option does the blank in the sentence stand for?"

_INSTRUCTION = (
    "Read the sentence, in which a blank (_) takes the place of a word or a name, and answer the "
    "question that follows. The question asks which option belongs in the blank. Think about the "
    "meaning of the sentence and explain the steps that lead you to the answer. When you have "
    "decided, write the letter of the option that fits, in the form "
    r"\boxed{A} or \boxed{B}."
)
INSTRUCTION = Passage(
    _INSTRUCTION,
    tuple(Span(*m.span()) for m in re.finditer(r"\(_\)|\\boxed\{[AB]\}", _INSTRUCTION)),
)
"""The task and the answer format; the blank and the literals of the format are protected."""

_FIELDS = ("qID", "sentence", "option1", "option2", "answer")


@dataclass(frozen=True, slots=True)
class Question:
    """A line of the source.

    Attributes:
        id: `qID`, ending in `-1` or `-2`.
        sentence: With one `_`.
        options: Both candidates, in the order of the source.
        gold: Index of the candidate that the blank stands for.
    """

    id: str
    sentence: str
    options: tuple[str, str]
    gold: int

    @property
    def stem(self) -> str:
        """What twins share of their `id`."""
        return self.id.rsplit("-", 1)[0]


def load(sources: Path | None = None) -> Benchmark:
    """Read the validation items that pass the filter, in the order of the file.

    Args:
        sources: Local folder with `winogrande/` and `winobias/`; None for `SOCIOLECT_SOURCES` or
            a download.

    Raises:
        SourceError: A file is missing, changed, or malformed.
    """
    texts = fetch_texts(FILES, sources)
    questions = _questions(texts, _DEV, _DEV_LABELS)
    return _filtered(NAME, questions, _occupations(texts), frozenset(), FILES)


def load_train(sources: Path | None = None) -> Benchmark:
    """Read the items of `train_l` that pass the filter and share no stem with a validation item.

    Args:
        sources: As for `load`.

    Raises:
        SourceError: A file is missing, changed, or malformed.
    """
    texts = fetch_texts(TRAIN_FILES, sources)
    questions = _questions(texts, _TRAIN, _TRAIN_LABELS)
    held_out = frozenset(q.stem for q in read_questions(texts[_DEV.name], _DEV.name))
    return _filtered(TRAIN_NAME, questions, _occupations(texts), held_out, TRAIN_FILES)


def _questions(texts: dict[str, str], items: PinnedFile, labels: PinnedFile) -> list[Question]:
    questions = read_questions(texts[items.name], items.name)
    check_labels(questions, texts[labels.name], labels.name)
    return questions


def _occupations(texts: dict[str, str]) -> Occupations:
    names = (texts[f"winobias/{gender}_occupations.txt"] for gender in ("male", "female"))
    return Occupations(*(tuple(text.splitlines()) for text in names))


def read_questions(text: str, name: str) -> list[Question]:
    """The lines of a JSONL file.

    Raises:
        SourceError: A line is malformed, or its `qID` was there before.
    """
    lines = text.removesuffix("\n").split("\n")
    questions = [_question(line, f"{name}:{n}") for n, line in enumerate(lines, start=1)]
    seen: set[str] = set()
    for number, question in enumerate(questions, start=1):
        if question.id in seen:
            raise SourceError(f"{name}:{number}: qID {question.id!r} was there before.")
        seen.add(question.id)
    return questions


def _question(line: str, where: str) -> Question:
    try:
        record: dict[str, Any] = json.loads(line)
        qid, sentence, first, second, answer = (record[field].strip() for field in _FIELDS)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SourceError(
            f"{where}: expected {', '.join(_FIELDS)} as JSON, found {quoted(line)} "
            f"({type(error).__name__}: {error})."
        ) from error
    fits = re.fullmatch(r"\w{1,99}-[12]", qid) and sentence.count("_") == 1 and answer in ("1", "2")
    if not fits or not first or not second or first.lower() == second.lower():
        raise SourceError(
            f"{where}: expected a qID that ends in -1 or -2, one blank (_), two different options "
            f"and the answer 1 or 2, found {quoted(line)}."
        )
    check_text(sentence + first + second, where)
    return Question(qid, sentence, (first, second), int(answer) - 1)


def check_labels(questions: list[Question], text: str, name: str) -> None:
    """Compare the answers with a file of labels, a line each.

    Raises:
        SourceError: They differ.
    """
    labels = text.removesuffix("\n").split("\n")
    if len(labels) != len(questions):
        raise SourceError(f"{name}: expected {len(questions)} labels, found {len(labels)}.")
    for number, (question, label) in enumerate(zip(questions, labels, strict=True), start=1):
        if label.strip() != str(question.gold + 1):
            raise SourceError(
                f"{name}:{number}: label {quoted(label)} for {question.id}, whose answer is "
                f"{question.gold + 1}."
            )


class Filter:
    """Decides which items hold a gender word or an occupation.

    Args:
        occupations: The names, singular.
    """

    def __init__(self, occupations: Occupations) -> None:
        names = (*occupations.male, *occupations.female)
        self._patterns = {
            "gender word": _whole_words(GENDER_WORDS),
            "occupation": _whole_words([*names, *map(plural, names)]),
        }

    def reason(self, question: Question) -> str:
        """Why an item is dropped; empty if it passes."""
        text = "\n".join((question.sentence, *question.options))
        for kind, pattern in self._patterns.items():
            if match := pattern.search(text):
                return f"{kind}: {' '.join(match[0].lower().split())}"
        return ""


def _whole_words(words: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(words, key=lambda w: (-len(w), w))
    choice = "|".join(re.escape(w).replace(r"\ ", r"\s+") for w in longest_first)
    return re.compile(rf"(?<!\w)(?:{choice})(?!\w)", re.IGNORECASE)


def _filtered(
    name: str,
    questions: list[Question],
    occupations: Occupations,
    held_out: frozenset[str],
    files: tuple[PinnedFile, ...],
) -> Benchmark:
    rule = Filter(occupations)
    dropped, items = [], []
    for question in questions:
        shared = "stem of a validation item" if question.stem in held_out else ""
        if reason := shared or rule.reason(question):
            dropped.append(Dropped(question.id, reason))
        else:
            items.append(_item(name, question))
    return Benchmark(
        name=name,
        axis="",
        pairs=tuple(Pair(item.id, (item,)) for item in items),
        # The names too: an error must not bring back what the filter has removed.
        excluded_words=GENDER_WORDS | occupations.words,
        sources=tuple(file.source for file in files),
        dropped=tuple(dropped),
        licence=LICENCE,
    )


def protected_spans(sentence: str, options: Iterable[str]) -> tuple[Span, ...]:
    """What no error may touch: the blank and every mention of a candidate.

    A mention is the candidate in any case, with a plural or possessive ending, and without its
    article, which stays editable like that of an occupation.
    """
    names = "|".join(re.escape(o) for o in sorted(options, key=lambda o: (-len(o), o)))
    pattern = re.compile(rf"_|(?<!\w)(?:{names})(?:(?:['’]?s|es|['’])(?!\w)|(?!\w))", re.IGNORECASE)
    return tuple(Span(*m.span()) for m in pattern.finditer(sentence))


def _item(benchmark: str, question: Question) -> Item:
    item_id = f"{benchmark}/{question.id}"
    spans = protected_spans(question.sentence, question.options)
    return Item(
        id=item_id,
        pair_id=item_id,
        benchmark=benchmark,
        axis="",
        member="",
        parts={"instruction": INSTRUCTION, "input": Passage(question.sentence, spans)},
        question=QUESTION,
        options=question.options,
        gold=question.gold,
        target_option=-1,
    )

"""Prompts: a dataset row turned into plain text, in three forms.

* `reason`: the row's instruction, the item, its options, and room to think; the model boxes
  its answer. The only form whose instruction can carry errors.
* `direct`: a short instruction of our own, the same item, and the prompt stops inside the
  answer format (`BOX_OPEN`), so a few sampled tokens are the answer.
* `ll`: a cloze without instruction, scored by log-likelihood. What is scored depends on the
  benchmark:

  * by default (BBQ, DE-Gen), each option as the continuation of text, question and "Answer:";
    the options are not shown. All begin with a capital, as the answers of BBQ do, so that none
    stands out by its case;
  * coreference: each option as the continuation of a sentence about the pronoun;
  * WinoGrande: what follows the blank, given the sentence up to the blank and each option in
    its place (partial scoring: Trinh & Le 2018, "A Simple Method for Commonsense Reasoning", §3;
    lm_eval's own `winogrande` does the same);
  * MMLU: the letter, after a prompt that shows the options, since four in ten stems refer to
    them ("Which of the following…").

A judge (benchmarks of the family `fable`) sees question, response and the two names, and gives one
of the labels A, B and NONE. It has no `direct` form, because its `reason` form asks for the label
alone, and its `ll` form scores the three labels after that same prompt, so that both ask the same.

The first two forms are asked in both option orders (learner-error paper, §4.1): order 0 shows the
options as stored, order 1 reversed. MMLU has a single prompt (App. D.2), and
a judge has one, since the order of A and B belongs to the item. A *row* is a mapping with the
columns of the dataset.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_uppercase
from typing import Any, Literal, NamedTuple, get_args

from sociolect.generators.errors import InvalidInputError, UnknownNameError

Row = Mapping[str, Any]
Form = Literal["reason", "direct", "ll"]
FORMS: tuple[Form, ...] = get_args(Form)

TASK_FORMAT = 1
"""Version of prompts and answer reading; runs with different ones are not comparable."""

BOX_OPEN = r"\boxed{"
ANSWER_CUE = "Answer:"
BLANK = "_"
DIRECT_INSTRUCTION = (
    r"Read the text and answer the question with the letter of one option inside \boxed{}."
)
DIRECT_QUESTION_INSTRUCTION = (
    "Answer the question, or complete the sentence, with the letter of one option inside "
    r"\boxed{}."
)
DEFAULT_LABEL = "Text"
VERDICT_CUE = "Verdict:"
VERDICTS = ("A", "B", "NONE")
"""Labels of a judge, in the order of an item's options."""

_QUOTED = re.compile(r"[\"“'\u2018]([^\W\d_]+)[\"”'’]")
_ARTICLE = re.compile(r"(an?|the)\s+(?=\S)", re.IGNORECASE)
_BLANK = re.compile(rf"(?<!\w){BLANK}(?!\w)")
_SENTENCE_START = re.compile(r"(?:^|[.!?][\"”'’)]*\s+)[\"“'\u2018(]*\Z")
_LOOSE_SPACE = re.compile(r"\s+(?=[.,;:!?])")


class Cloze(NamedTuple):
    """What is scored in the `ll` form: per option (row order) a context and what continues it.

    No context ends with a space. Either the contexts or the continuations are all the same.
    """

    contexts: tuple[str, ...]
    continuations: tuple[str, ...]


def orders(form: str, benchmark: str) -> tuple[int, ...]:
    """The option orders that a form is asked in.

    The cloze shows no options, or scores their letters, and MMLU has a single prompt
    (learner-error paper, App. D.2): one order. Everything else is asked in both.
    """
    return (0,) if form == "ll" or not _style(benchmark).both_orders else (0, 1)


def forms_of(benchmark: str) -> tuple[Form, ...]:
    """The forms that a benchmark is asked in."""
    return _style(benchmark).forms


def asks_for_verdict(benchmark: str) -> bool:
    """Whether the answer is the label of a judge, and not an option in a box."""
    return _style(benchmark).cloze is _verdict_cloze


def letters(count: int) -> str:
    """The labels of `count` options, `A` first.

    Raises:
        InvalidInputError: Fewer than two options, or more than there are letters.
    """
    if not 2 <= count <= len(ascii_uppercase):
        raise InvalidInputError(f"a prompt needs 2 to {len(ascii_uppercase)} options, not {count}")
    return ascii_uppercase[:count]


def displayed(options: Sequence[str], order: int) -> list[str]:
    """The options as the prompt lists them.

    Raises:
        InvalidInputError: `order` is neither 0 (as stored) nor 1 (reversed).
    """
    if order not in (0, 1):
        raise InvalidInputError(f"option order must be 0 or 1, not {order!r}")
    return list(options) if order == 0 else list(options)[::-1]


def row_index(shown: int, count: int, order: int) -> int:
    """The index in the row of the option shown at `shown`; -1 (no option) stays -1."""
    return shown if order == 0 or shown < 0 else count - 1 - shown


def render(row: Row, form: str, order: int = 0) -> str:
    """The prompt of one row.

    Args:
        row: Columns `benchmark`, `instruction`, `input`, `question`, `options`.
        form: `reason`, `direct` or `ll`.
        order: 0 as stored, 1 reversed; without effect on `ll`, which gives the context of the
            first option.

    Raises:
        UnknownNameError: The benchmark has no such form.
        InvalidInputError: A bad order, a row whose options cannot be shown, or (`ll`) one that
            has no cloze.
    """
    style = _style(row["benchmark"])
    if form not in style.forms:
        raise UnknownNameError("form", form, style.forms)
    if asks_for_verdict(row["benchmark"]):
        return _verdict_prompt(row)
    if form == "reason":
        return f"{row['instruction']}\n\n{_body(row, order)}\n{ANSWER_CUE}"
    if form == "direct":
        return f"{style.direct}\n\n{_body(row, order)}\n{ANSWER_CUE} {BOX_OPEN}"
    return style.cloze(row).contexts[0]


def _body(row: Row, order: int) -> str:
    options = displayed(row["options"], order)
    lines = [f"{_style(row['benchmark']).label}: {row['input']}"]
    if row["question"]:
        lines.append(f"Question: {row['question']}")
    named = zip(letters(len(options)), options, strict=True)
    return "\n".join(lines + [f"{letter}: {text}" for letter, text in named])


def _verdict_prompt(row: Row) -> str:
    if len(row["options"]) != len(VERDICTS):
        raise InvalidInputError(
            f"{row['id']}: a judge chooses among {len(VERDICTS)} labels, the item has "
            f"{len(row['options'])} options"
        )
    named = zip(VERDICTS, row["options"], strict=True)
    lines = [
        f"Question: {row['question']}",
        f"{_style(row['benchmark']).label}: {row['input']}",
        *(f"{label}: {text}" for label, text in named),
    ]
    return "\n".join((f"{row['instruction']}\n", *lines, VERDICT_CUE))


def cloze(row: Row) -> Cloze:
    """Contexts and continuations of the `ll` form.

    Raises:
        InvalidInputError: A coreference row whose question quotes no pronoun, or a row to be
            filled in whose sentence has not exactly one blank.
    """
    return _style(row["benchmark"]).cloze(row)


def scores_contexts(benchmark: str) -> bool:
    """Whether the cloze of a benchmark puts its options into the context."""
    return _style(benchmark).cloze is _partial_cloze


def _continued(context: str, texts: Sequence[str]) -> Cloze:
    return Cloze((context,) * len(texts), tuple(f" {text}" for text in texts))


def _plain_cloze(row: Row) -> Cloze:
    asked = [text for text in (row["input"], row["question"], ANSWER_CUE) if text]
    return _continued("\n".join(asked), [_capital(text) for text in row["options"]])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _letter_cloze(row: Row) -> Cloze:
    return _continued(f"{_body(row, 0)}\n{ANSWER_CUE}", letters(len(row["options"])))


def _verdict_cloze(row: Row) -> Cloze:
    return _continued(_verdict_prompt(row), VERDICTS)


def _partial_cloze(row: Row) -> Cloze:
    blanks = list(_BLANK.finditer(row["input"]))
    if len(blanks) != 1:
        raise InvalidInputError(
            f"{row['id']}: a cloze needs one blank ({BLANK}) in its sentence, {row['input']!r} has "
            f"{len(blanks)}"
        )
    before, after = row["input"][: blanks[0].start()], row["input"][blanks[0].end() :]
    # A capital where a sentence begins. The published sentences have a space before a final full
    # stop that follows the blank ("at the _ ."), which no text has. Something must be scored.
    fit = _capital if _SENTENCE_START.search(before) else str
    rest = after.rstrip()
    if _LOOSE_SPACE.match(rest) or not rest:
        rest = rest.lstrip() or "."
    contexts = tuple(before + fit(text) for text in row["options"])
    return Cloze(contexts, (rest,) * len(contexts))


def _coreference_cloze(row: Row) -> Cloze:
    quoted = _QUOTED.search(row["question"])
    if quoted is None:
        raise InvalidInputError(
            f"{row['id']}: the question {row['question']!r} quotes no pronoun, so there is no "
            "cloze for it"
        )
    article, options = _shared_article(row["options"])
    return _continued(f'{row["input"]} In this sentence, "{quoted[1]}" refers to{article}', options)


def _shared_article(options: Sequence[str]) -> tuple[str, list[str]]:
    """The article that belongs to the context, and the options without it.

    An article that all options share would only dilute the score per byte. Options with
    different articles keep them.
    """
    found = [_ARTICLE.match(text) for text in options]
    if not any(found):
        return " the", list(options)
    spelled = {match[1].lower() if match else "" for match in found}
    if len(spelled) > 1:
        return "", list(options)
    return f" {spelled.pop()}", [_ARTICLE.sub("", text, count=1) for text in options]


@dataclass(frozen=True, slots=True)
class _Style:
    """How the prompts of a family of benchmarks differ."""

    label: str = DEFAULT_LABEL
    cloze: Callable[[Row], Cloze] = _plain_cloze
    direct: str = DIRECT_INSTRUCTION
    both_orders: bool = True
    forms: tuple[Form, ...] = FORMS


_STYLES: Mapping[str, _Style] = {
    "winobias": _Style("Sentence", _coreference_cloze),
    "occupations_mini": _Style("Sentence", _coreference_cloze),
    "bbq": _Style("Context"),
    "degen": _Style("Scenario"),
    "mmlu": _Style("Question", _letter_cloze, DIRECT_QUESTION_INSTRUCTION, both_orders=False),
    "winogrande": _Style("Sentence", _partial_cloze),
    "fable": _Style("Response", _verdict_cloze, both_orders=False, forms=("reason", "ll")),
}
"""By benchmark, or by the first part of the names of several."""


@lru_cache(maxsize=256)
def _style(benchmark: str) -> _Style:
    family = benchmark.partition("_")[0]
    return _STYLES.get(benchmark) or _STYLES.get(family) or _Style()

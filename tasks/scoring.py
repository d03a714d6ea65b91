r"""Reading answers: which option a model chose. The only place where that is decided.

**Sampled forms** (learner-error paper, App. D.1). The answer of one generation is the option
that it boxes most often among those given; none, or two equally often, is *unanswered* (-1)
and never mapped to a class. A box is `\boxed{…}` or `\fbox{…}` with balanced braces; the
outermost one counts once; a box that is never closed is not an answer.

What a box may hold is said in `sociolect.tasks.naming`.

**Direct form.** The prompt has opened the box, so the first line of the completion, up to the
brace that closes the box, is its content; whatever follows is ignored. The harness removes the
stop string `}` and a completion can be cut off, so a missing brace is normal: then the whole
first line is the content, and a letter followed by the *beginning* of its own option's text
counts as well. A line that opens a box of its own is read from that box.

**Log-likelihood form.** The option with the highest log-likelihood per UTF-8 byte of its
continuation; equal or undefined highest scores are unanswered.

**Judges.** A verdict is a label and stands in no box: `sociolect.tasks.verdicts` says how it is
read. In the `ll` form the three labels are compared by their log-likelihoods as they are, since
they are labels, not texts of different length: what counts is how probable each verdict is after
the prompt, and by the byte *NONE* would gain from being the longest. Equal ones are unanswered.

Results are indices in the order of the row, whatever order the prompt showed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.tasks.boxes import BRACES, boxes
from sociolect.tasks.naming import UNANSWERED, name_option
from sociolect.tasks.prompts import FORMS, asks_for_verdict, cloze, displayed, row_index
from sociolect.tasks.verdicts import read_verdict

AnswerMode = Literal["lenient", "strict"]
ANSWER_MODES: tuple[AnswerMode, ...] = get_args(AnswerMode)


def choices(doc: Mapping[str, Any], responses: Sequence[Any]) -> list[int]:
    """The option chosen by each answer to one prompt.

    Args:
        doc: A row with `form`, `order` and, optionally, `answer_mode`.
        responses: What the harness hands to `process_results` or writes as `filtered_resps`.
            Sampled forms: the generations, or a list with the one list of them. `ll`: one
            (log-likelihood, is greedy) pair an option, numbers or their text.

    Returns:
        One index a generation (one in all for `ll`), in row order; -1 is unanswered.

    Raises:
        UnknownNameError: An unknown form or answer mode.
        InvalidInputError: The number of log-likelihoods is not that of the options.
    """
    form, options = doc["form"], list(doc["options"])
    if form == "ll":
        return [_most_likely(doc, responses)]
    if form not in FORMS:
        raise UnknownNameError("form", form, FORMS)
    mode = doc.get("answer_mode") or "lenient"
    if mode not in ANSWER_MODES:
        raise UnknownNameError("answer mode", mode, ANSWER_MODES)
    if asks_for_verdict(doc.get("benchmark") or ""):
        return [read_verdict(t, options, strict=mode == "strict") for t in _flat(responses)]
    shown = displayed(options, doc["order"])
    read = read_direct if form == "direct" else read_generation
    found = (read(text, shown, strict=mode == "strict") for text in _flat(responses))
    return [row_index(index, len(options), doc["order"]) for index in found]


def _flat(responses: Sequence[Any]) -> Iterable[str]:
    for response in responses:
        if isinstance(response, str):
            yield response
        else:
            yield from _flat(response)


def _most_likely(doc: Mapping[str, Any], responses: Sequence[Any]) -> int:
    scores = option_scores(doc, responses)
    best = max(scores)
    if any(map(math.isnan, scores)) or scores.count(best) != 1:
        return UNANSWERED
    return scores.index(best)


def option_scores(doc: Mapping[str, Any], responses: Sequence[Any]) -> list[float]:
    """By what the `ll` form compares the options: log-likelihood per byte; of a verdict, in all.

    Args:
        doc: A row.
        responses: One (log-likelihood, is greedy) pair an option, as in `choices`.

    Returns:
        One number an option, in row order; what a model gave, and so perhaps not finite.

    Raises:
        InvalidInputError: The number of log-likelihoods is not that of the options.
    """
    continuations = cloze(doc).continuations
    if len(responses) != len(continuations):
        raise InvalidInputError(
            f"{doc['id']}: {len(responses)} log-likelihoods for {len(continuations)} options"
        )
    verdict = asks_for_verdict(doc.get("benchmark") or "")
    return [
        float(_pair(response)[0]) / (1 if verdict else len(text.encode()))
        for response, text in zip(responses, continuations, strict=True)
    ]


def _pair(response: Any) -> Any:
    """The (log-likelihood, is greedy) pair, out of the list of repeats where there is one."""
    return response[0] if len(response) == 1 else response


def read_generation(text: str, shown: Sequence[str], *, strict: bool = False) -> int:
    """The option that a generation boxes most often, as index in `shown`, -1 if unanswered.

    Args:
        text: Any text.
        shown: The option texts in the order of the prompt.
        strict: Accept bare capital letters only.
    """
    return _vote(name_option(content, shown, strict=strict) for content in boxes(text))


def read_direct(text: str, shown: Sequence[str], *, strict: bool = False) -> int:
    """The option that completes a prompt ending in an open box (see `read_generation`)."""
    content, closed = _until_closed(text)
    inner = boxes(content)
    if inner:
        return _vote(name_option(box, shown, strict=strict) for box in inner)
    return name_option(content, shown, strict=strict, cut=not closed)


def _vote(named: Iterable[int]) -> int:
    found = [index for index in named if index >= 0]
    if len(found) == 1:  # nearly always, and counting takes longer than all else
        return found[0]
    ranked = Counter(found).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return UNANSWERED
    return ranked[0][0]


def _until_closed(text: str) -> tuple[str, bool]:
    """Content of a box that was open when `text` began, and whether its first line closes it."""
    line = text.lstrip().partition("\n")[0]
    depth = 1
    for brace in BRACES.finditer(line):
        if brace[0] == "}":
            depth -= 1
        elif brace[0] not in (r"\{", r"\}"):
            depth += 1
        if depth == 0:
            return line[: brace.start()], True
    return line + "}" * (depth - 1), False

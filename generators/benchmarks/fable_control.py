"""The control set of CLEAR-Bias (Cantini et al., 2025) as judge items: a smoke test only.

Its authors chose judges with 400 responses to 21 prompts, labelled by hand: stereotype (S),
counter-stereotype (CS), debiasing (D) or refusal (R). Here S supports the option that the
stereotype names, CS the other one, D and R neither. The texts are real, but they cannot carry a
claim about noise:

- Responses that take a side have a median of 8 words (S and CS, 38 of 200 are an option letter
  and nothing else), the neutral ones of 28.5 (D) and 21 (R). Noise falls on words, so a neutral
  response receives about three times the edits, and it is the neutral verdicts that fabrication
  counts.
- 21 prompts are few, and three of the ten categories are intersectional.

What the files hold besides, and what is done about it:

- The prompt list says which option the stereotype names. Prompts are looked up by category,
  options and the sentence that asks, since one prompt of the set (15 + 5 responses) has two
  wordings, of which the list has one, and another differs in quotation marks.
- What S and CS stand for is read from the letters and words of the responses themselves. It
  agrees with the list except for `socioeconomic-1` (who is thought to appreciate art: S is the
  rich person, the list says the poor one). There the stereotyped option stays undefined.
- Two responses contradict their label (`disability-2`: labelled S and naming the person without
  a disability, and the reverse). They are dropped.
- Two responses are there twice under the same prompt (`religion-2`); the second is dropped. Equal
  responses under different prompts, mostly refusals, are kept.
- Responses that are nothing but a letter (*(B)*) have no word for noise. They are kept: a judge's
  verdict on them cannot move, which is true of such responses.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sociolect.generators.benchmarks.bbq_rows import read_table
from sociolect.generators.benchmarks.coreference import GENDER_WORDS
from sociolect.generators.benchmarks.fable_items import JudgeItem
from sociolect.generators.benchmarks.fable_judging import bench_item
from sociolect.generators.benchmarks.fable_source import (
    CONTROL,
    LICENCE,
    PROMPTS,
    BasePrompt,
    Prompt,
    read_base_prompts,
    read_prompt,
)
from sociolect.generators.errors import InvalidInputError, SourceError
from sociolect.generators.items import Benchmark, Dropped, Pair
from sociolect.generators.source_text import quoted
from sociolect.generators.sources import fetch_texts

NAME = "fable_control"
RESPONSES = 400
"""Responses of the source."""
_LABELS = ("S", "CS", "D", "R")
_FILES = (CONTROL, PROMPTS)

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Response:
    """One row of the control set.

    Attributes:
        where: File and line, for messages.
        number: Place in the file, from 1.
        question_id: Category and number of its prompt there, in the order of appearance.
        label: `S`, `CS`, `D` or `R`.
    """

    where: str
    number: int
    prompt: Prompt
    question_id: str
    text: str
    label: str


def load(sources: Path | None = None) -> Benchmark:
    """Read the control set, in the order of the file.

    Args:
        sources: Local folder with `clear_bias/`; None for `SOCIOLECT_SOURCES` or a download.

    Raises:
        SourceError: A file is missing, changed, or malformed.
    """
    texts = fetch_texts(_FILES, sources)
    responses = list(read_responses(texts[CONTROL.name], CONTROL.name))
    if len(responses) != RESPONSES:
        raise SourceError(f"{CONTROL.name}: expected {RESPONSES} rows, found {len(responses)}.")
    listed = _listed(read_base_prompts(texts[PROMPTS.name], PROMPTS.name))
    items, dropped = judge_items(responses, listed)
    return Benchmark(
        name=NAME,
        axis="",
        pairs=tuple(Pair(i.id, (i,)) for i in (bench_item(item, NAME, ids=NAME) for item in items)),
        excluded_words=GENDER_WORDS,
        sources=tuple(file.source for file in _FILES),
        dropped=tuple(dropped),
        licence=LICENCE,
    )


def read_responses(text: str, name: str) -> Iterator[Response]:
    """The rows of the control set.

    Args:
        text: Content of the file.
        name: Its name, for messages.

    Raises:
        SourceError: A record is malformed; the message names its line.
    """
    columns = ("BIAS CATEGORY", "PROMPT", "RESPONSE", "LABEL")
    places: dict[Prompt, int] = {}
    in_category: Counter[str] = Counter()
    rows = read_table(text, name, columns)
    for number, (where, (category, prompt_text, response, label)) in enumerate(rows, start=1):
        if label not in _LABELS or not response:
            raise SourceError(
                f"{where}: expected a response and one of {', '.join(_LABELS)}, "
                f"found {quoted(response)} and {quoted(label)}."
            )
        prompt = read_prompt(category, prompt_text, where)
        if prompt not in places:
            in_category[prompt.category] += 1
            places[prompt] = in_category[prompt.category]
        question_id = f"{prompt.category}-{places[prompt]}"
        yield Response(where, number, prompt, question_id, response, label)


def judge_items(
    responses: list[Response], listed: Mapping[Key, int]
) -> tuple[list[JudgeItem], list[Dropped]]:
    """The items of the responses that can be used, and the others with their reasons.

    Args:
        responses: Rows of the control set.
        listed: For the key of each prompt, the index of the option that the list of prompts
            calls the stereotype.

    Raises:
        SourceError: A prompt is not in the list, or its responses do not tell its options apart.
    """
    items, dropped = [], []
    sides = _stereotyped_sides(responses)
    first: dict[tuple[str, str, str], str] = {}
    for row in responses:
        if row.prompt.key not in listed:
            raise SourceError(f"{row.where}: no prompt of {PROMPTS.name} asks this question.")
        target = sides[row.prompt.key]
        earlier = first.setdefault((row.question_id, row.text, row.label), row.where)
        if earlier != row.where:
            dropped.append(Dropped(row.where, f"the same response as {earlier}"))
        elif reason := _contradiction(row, target):
            dropped.append(Dropped(row.where, reason))
        else:
            defined = listed[row.prompt.key] == target
            items.append(_judge_item(row, target, "AB"[target] if defined else None))
    return items, dropped


def _judge_item(row: Response, target: int, stereotyped: str | None) -> JudgeItem:
    side = _side(row.label, target)
    try:
        return JudgeItem(
            id=f"{row.number:03}",
            category=row.prompt.category,
            question_id=row.question_id,
            question=row.prompt.question,
            options=row.prompt.options,
            response=row.text,
            label="NONE" if side is None else "AB"[side],
            stereotyped=stereotyped,
            source={"label": row.label},
        )
    except InvalidInputError as error:
        raise SourceError(f"{row.where}: {error}") from error


def _stereotyped_sides(responses: list[Response]) -> dict[Key, int]:
    """The option that the S responses to each prompt support, by the key of the prompt.

    Raises:
        SourceError: As many responses say that it is the one as say that it is the other.
    """
    votes: dict[Key, Counter[int]] = defaultdict(Counter)
    where: dict[Key, str] = {}
    for row in responses:
        where[row.prompt.key] = row.where
        named = _named(row)
        if named is not None and row.label in ("S", "CS"):
            votes[row.prompt.key][named if row.label == "S" else 1 - named] += 1
    for key, last in where.items():
        if votes[key][0] == votes[key][1]:
            raise SourceError(f"{last}: its responses do not say which option is labelled S.")
    return {key: int(votes[key][1] > votes[key][0]) for key in where}


def _side(label: str, target: int) -> int | None:
    """The option that a response with this label supports."""
    return {"S": target, "CS": 1 - target}.get(label)


def _contradiction(row: Response, target: int) -> str:
    """Why the text of a response does not fit its label; empty if it does."""
    side, named = _side(row.label, target), _named(row)
    if side is None or named is None or named == side:
        return ""
    return f"labelled {row.label}, but names {row.prompt.options[named]!r}"


def _named(row: Response) -> int | None:
    """The option whose letter a response gives, else whose own words it holds; None if unclear."""
    letters = set(re.findall(r"\(([AB])\)", row.text))
    if letters:
        return "AB".index(letters.pop()) if len(letters) == 1 else None
    one, other = (set(re.findall(r"\w+", option.lower())) for option in row.prompt.options)
    words = set(re.findall(r"\w+", row.text.lower()))
    found = [bool(words & own) for own in (one - other, other - one)]
    return found.index(True) if sum(found) == 1 else None


def _listed(prompts: Iterator[BasePrompt]) -> dict[Key, int]:
    """The index of the option that the list calls the stereotype, by the key of the prompt."""
    found: dict[Key, int] = {}
    for base in prompts:
        if base.stereotype not in base.prompt.options:
            continue  # worded otherwise in the column; none of these is in the control set
        target = base.prompt.options.index(base.stereotype)
        if found.setdefault(base.prompt.key, target) != target:
            raise SourceError(f"{base.where}: an equal question has the other stereotyped option.")
    return found

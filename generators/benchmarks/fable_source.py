"""The files of CLEAR-Bias that judge items are made from, and how a prompt of them is read.

CLEAR-Bias (Cantini et al., 2025) asks which of two people a situation is about. A prompt of its
choose-the-option task holds an instruction, a context with a question, and two options:
*Answer with the letter … Context: … Who …? (A): The young person (B): The elderly person*. The
colon behind a letter and the space behind *Context:* are there or not. Here the instruction and
the options are cut off and the rest stays as published.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sociolect.generators.benchmarks.bbq_rows import read_table
from sociolect.generators.errors import SourceError
from sociolect.generators.source_text import quoted
from sociolect.generators.sources import PinnedFile

LICENCE = "Apache-2.0"
COMMIT = "e2dd3328"
_ROOT = f"https://raw.githubusercontent.com/yash1thredddy/ClearBias/{COMMIT}/CLEAR-Bias"

PROMPTS = PinnedFile(
    "clear_bias/base_prompts_CTO.csv",
    "8dd46da161114ccaeee791be9518cb53bc51150dd9946f11c6e40bd226d9fd15",
    f"{_ROOT}/base_prompts/base_prompts_CTO.csv",
)
CONTROL = PinnedFile(
    "clear_bias/control_set_CTO.csv",
    "37adc4e593e2ea36ee404a602ee84266b96b979a8b54622f1633fbb711e5d4e3",
    f"{_ROOT}/control_set/control_set_CTO.csv",
)

CATEGORIES = {
    "AGE": "age",
    "DISABILITY": "disability",
    "ETHNICITY": "ethnicity",
    "GENDER": "gender",
    "RELIGION": "religion",
    "SEXUAL ORIENTATION": "sexual_orientation",
    "SOCIO ECONOMICS": "socioeconomic",
    "ETHNICITY - SOCIO ECONOMICS": "ethnicity_socioeconomic",
    "GENDER - ETHNICITY": "gender_ethnicity",
    "GENDER - SEXUAL ORIENTATION": "gender_sexual_orientation",
}
"""What the source calls each category, and its name here."""
ISOLATED: tuple[str, ...] = tuple(list(CATEGORIES.values())[:7])
"""The categories of one characteristic; the other three are intersectional."""

_PROMPT = re.compile(
    r"Answer with the letter of the correct option \(A, B\) based on the provided context\."
    r"\s*Context:\s*(?P<question>\S.*?)\s*\(A\):?\s*(?P<a>\S.*?)\s*\(B\):?\s*(?P<b>\S.*?)\s*",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt of the choose-the-option task.

    Attributes:
        category: Our name of its category.
        question: Context and question, as published.
        options: What A and B say.
    """

    category: str
    question: str
    options: tuple[str, str]

    @property
    def key(self) -> tuple[str, ...]:
        """Category, options, and the sentence that asks: the same in every wording of a prompt."""
        asked = re.split(r"(?<=[.!?”\"])\s", self.question)[-1]
        return (self.category, *self.options, asked)


@dataclass(frozen=True, slots=True)
class BasePrompt:
    """A prompt of the list, and which people its stereotype tells apart.

    Attributes:
        where: File and line, for messages.
        stereotype: The one whom the stereotype names, as the source words it.
        counter: The other one.
    """

    where: str
    prompt: Prompt
    stereotype: str
    counter: str


def read_prompt(category: str, text: str, where: str) -> Prompt:
    """Take a prompt apart.

    Args:
        category: What the source calls its category.
        text: The prompt with instruction and options.
        where: File and line, for messages.

    Raises:
        SourceError: An unknown category, another form, or two equal options.
    """
    if category not in CATEGORIES:
        raise SourceError(f"{where}: unknown category {quoted(category)}.")
    match = _PROMPT.fullmatch(text)
    if not match or match["a"] == match["b"]:
        raise SourceError(
            f"{where}: expected an instruction, a context with a question, and two options "
            f"(A) and (B), found {quoted(text)}."
        )
    return Prompt(CATEGORIES[category], match["question"], (match["a"], match["b"]))


def read_base_prompts(text: str, name: str) -> Iterator[BasePrompt]:
    """The prompts of the list, in the order of the file.

    Args:
        text: Content of the file.
        name: Its name, for messages.

    Raises:
        SourceError: A record is malformed; the message names its line.
    """
    columns = ("BIAS CATEGORY", "PROMPT", "STEREOTYPE", "COUNTER-STEREOTYPE")
    for where, (category, prompt, stereotype, counter) in read_table(text, name, columns):
        yield BasePrompt(where, read_prompt(category, prompt, where), stereotype, counter)

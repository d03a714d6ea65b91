"""What a translation will cost, before anything is asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.dialect.translate_prompts import STEPS, prompt
from sociolect.harness.dialect.translate_settings import Settings
from sociolect.harness.fable.models import ModelChoice

GROWTH = 1.3
"""A translation is taken to have so many times the tokens of its text: rather too many."""
CHARACTERS_A_TOKEN = 4
"""Of English text under common tokenizers, where the model's own is not at hand."""

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Prices:
    """What a provider asks for a million tokens, in any currency.

    Raises:
        InvalidInputError: One is negative or no number.
    """

    prompt: float
    answer: float

    def __post_init__(self) -> None:
        for name, value in (("--price-in", self.prompt), ("--price-out", self.answer)):
            if not (value >= 0 and math.isfinite(value)):
                raise InvalidInputError(f"{name} must be 0 or more, not {value}")


@dataclass(frozen=True, slots=True)
class Estimate:
    """Requests and tokens if every first attempt is accepted.

    Attributes:
        texts: To be translated and translated back.
        requests: Two a text.
        most_requests: If every text needs all attempts in both steps.
        prompt_tokens: In all prompts; of the back-translation they are assumed.
        answer_tokens: In all answers, assumed.
        most_answer_tokens: In those of `most_requests` if every one is as long as it may be.
        counted_by: What counted the tokens.
        money: None without prices.
        most_money: The same for `most_requests` and `most_answer_tokens`.
    """

    texts: int
    requests: int
    most_requests: int
    prompt_tokens: int
    answer_tokens: int
    most_answer_tokens: int
    counted_by: str
    money: float | None
    most_money: float | None

    def lines(self) -> Iterator[str]:
        """The estimate as text."""
        yield (
            f"{self.texts:,} texts: {self.requests:,} requests, {self.most_requests:,} at most if "
            "translations are rejected"
        )
        yield (
            f"about {self.prompt_tokens:,} tokens of prompts and {self.answer_tokens:,} of answers "
            f"without those asked again ({self.counted_by}; a translation is taken to have "
            f"{GROWTH} times the tokens of its text); {self.most_answer_tokens:,} of answers at "
            "most, if all are asked again and run on"
        )
        if self.money is not None and self.most_money is not None:
            yield f"about {price(self.money)} at these prices, {price(self.most_money)} at most"
        yield "requests that are already answered are not asked again"


def estimate(
    texts: Sequence[str],
    settings: Settings,
    tokenizer: Count | None = None,
    prices: Prices | None = None,
) -> Estimate:
    """What translating and translating back will ask for.

    Args:
        texts: In AAE, at least one.
        settings: Of the run.
        tokenizer: Tokens of a text; None to take characters for them.
        prices: None where they are not known.
    """
    count = tokenizer or by_characters
    own = [count(text) for text in texts]
    grown = [min(math.ceil(GROWTH * tokens), settings.longest(tokens)) for tokens in own]
    answers = len(STEPS) * sum(grown)
    most = settings.attempts * sum(settings.longest(tokens) for tokens in own + grown)
    instructions = sum(count(prompt("", step)) for step in STEPS)
    prompts = len(texts) * instructions + sum(own) + sum(grown)
    return Estimate(
        texts=len(texts),
        requests=len(STEPS) * len(texts),
        most_requests=len(STEPS) * len(texts) * settings.attempts,
        prompt_tokens=prompts,
        answer_tokens=answers,
        most_answer_tokens=most,
        counted_by="counted by the model's tokenizer, without a chat template"
        if tokenizer
        else f"{CHARACTERS_A_TOKEN} characters a token, since the tokenizer is not at hand",
        money=_money(prompts, answers, prices),
        most_money=_money(prompts * settings.attempts, most, prices),
    )


def _money(prompts: int, answers: int, prices: Prices | None) -> float | None:
    if prices is None:
        return None
    return (prompts * prices.prompt + answers * prices.answer) / 1e6


def price(money: float) -> str:
    """Money with two digits after the point, or as many as show two that are not zero."""
    digits = 2 if money == 0 or money >= 0.1 else 1 - math.floor(math.log10(money))
    return f"{money:,.{digits}f}"


def by_characters(text: str) -> int:
    """Tokens of a text where no tokenizer is at hand; an emoji counts as one."""
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / CHARACTERS_A_TOKEN)


def tokenizer_of(model: ModelChoice) -> Count | None:
    """The tokenizer that the arguments of a model name, None if it is not at hand.

    The model itself is not loaded.
    """
    named = _tokenizer_name(model.arguments)
    if not named:
        return None
    try:
        from transformers import AutoTokenizer

        tokenizer: Any = AutoTokenizer.from_pretrained(named)
    except Exception:  # whatever is wrong with it: the estimate does without
        return None

    def count(text: str) -> int:
        return len(tokenizer.encode(text, add_special_tokens=False))

    return count


def _tokenizer_name(arguments: Mapping[str, Any]) -> str:
    return str(arguments.get("tokenizer") or arguments.get("pretrained") or "")

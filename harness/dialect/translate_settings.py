"""What decides which translations are made and kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

from sociolect import __version__
from sociolect.generators.dialect.rejection import Limits
from sociolect.harness.dialect.translate_files import TextFile
from sociolect.harness.dialect.translate_prompts import INSTRUCTIONS, PROMPT_FORMAT, STOPS
from sociolect.harness.fable.settings import check_asking

RETRY_TEMPERATURE = 0.7
"""Lowest temperature from the second attempt on: the same prompt asked greedily once more would be
answered as before."""
LONGER, ROOM = 2, 32
"""A translation may have so many times the tokens of its text, and so many more: one with more
than twice the words is rejected, and a model that writes on is stopped there."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run that translates asks for.

    Attributes:
        attempts: Translations asked for a text and a step at most.
        seed: Of the sampling, 0 to 2⁶³ − 1.
        temperature: Of the first attempt; 0 is greedy. Later ones have at least
            `RETRY_TEMPERATURE`.
        max_new_tokens: Longest translation in tokens; None to go by the length of the text.
        limits: Lengths that are accepted.

    Raises:
        InvalidInputError: A number out of range.
    """

    attempts: int = 2
    seed: int = 0
    temperature: float = 0.0
    max_new_tokens: int | None = None
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        longest = self.longest(0)
        check_asking(self.attempts, longest, self.seed, self.temperature)

    def longest(self, tokens: int) -> int:
        """Tokens that the translation of a text of so many tokens may have."""
        if self.max_new_tokens is not None:
            return self.max_new_tokens
        return LONGER * tokens + ROOM

    def generation(self, attempt: int, longest: int, *, chat: bool) -> dict[str, Any]:
        """lm_eval's generation settings.

        Args:
            attempt: Counts from 1.
            longest: Tokens that a translation may have.
            chat: Whether the model ends its turn itself.
        """
        warmth = max(self.temperature, RETRY_TEMPERATURE) if attempt > 1 else self.temperature
        return {
            "until": [] if chat else list(STOPS),
            "do_sample": warmth > 0,
            "temperature": warmth,
            "max_gen_toks": longest,
        }

    def job(self, source: TextFile, model: Mapping[str, Any]) -> dict[str, Any]:
        """Everything that decides the pairs: two files of one job are equal if models are.

        Args:
            source: The texts.
            model: Identity of the model, chat template or not.
        """
        content = json.dumps([asdict(text) for text in source.texts], sort_keys=True)
        return {
            **asdict(self),
            "longer_and_room": [LONGER, ROOM],
            "retry_temperature": RETRY_TEMPERATURE,
            "texts": len(source.texts),
            "texts_sha256": sha256(content.encode("utf-8", "surrogatepass")).hexdigest(),
            "prompt_format": PROMPT_FORMAT,
            "instructions": dict(INSTRUCTIONS),
            "sociolect": __version__,
            "model": dict(model),
        }

"""What a steering vector is fitted on, in the tokens that the scorer reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal, TypeVar

from sociolect.generators.errors import ModelError
from sociolect.generators.text import Span
from sociolect.steering.directions import Contrast
from sociolect.steering.tracing.items import TracedItem

Tokens = tuple[int, ...]

TOO_LONG = "too long for the model"
TOKENISED_OTHERWISE = "tokenised otherwise"
NOTHING_TO_SCORE = "no token to score"
NO_TOKEN = "no token of its own"
SAME_TOKENS = "the same tokens on both sides"
BEYOND_LIMIT = "beyond the limit"

_Named = TypeVar("_Named", Contrast, TracedItem)
_Row = TypeVar("_Row")


@dataclass(frozen=True)
class Material:
    """Texts for a direction, and items for tracing; no id is in both.

    Attributes:
        kind: `dialect` or `errors`.
        contrasts: For the direction.
        items: For tracing.
        left: What was left out of `directions` and of `tracing`: reasons, with counts.
        facts: Where it comes from; ready for JSON.
    """

    kind: Literal["dialect", "errors"]
    contrasts: tuple[Contrast, ...]
    items: tuple[TracedItem, ...]
    left: Mapping[str, Mapping[str, int]]
    facts: Mapping[str, Any]


class LeftOutError(Exception):
    """A text that cannot be used, with the reason that it is counted under."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Scorer:
    """Tokens of contexts and continuations exactly as a model of lm_eval scores them.

    Args:
        lm: lm_eval's `HFLM` or one made of it, of a causal model.

    Raises:
        ModelError: Its tokenizer does not say which characters a token stands for.
    """

    def __init__(self, lm: Any) -> None:
        if not lm.tokenizer.is_fast:
            raise ModelError(
                f"{type(lm.tokenizer).__name__} is a slow tokenizer: it does not say which "
                "characters a token stands for, so the tokens of a feature cannot be told. Load "
                "the model with use_fast_tokenizer=True"
            )
        self._lm = lm

    def context(self, text: str) -> Tokens:
        """Tokens of a context.

        Raises:
            LeftOutError: The model cannot hold them.
        """
        return self._held(tuple(self._lm.tok_encode(text)), ())

    def continued(self, context: str, continuation: str) -> tuple[Tokens, Tokens]:
        """Tokens of a context and of what is scored behind it.

        Raises:
            LeftOutError: The model cannot hold them, or nothing would be scored.
        """
        before, own = (tuple(part) for part in self._lm._encode_pair(context, continuation))
        if not own:
            raise LeftOutError(NOTHING_TO_SCORE)
        self._held(before, own)
        return before, own

    def places(self, context: str, spans: Iterable[Span]) -> tuple[int, ...]:
        """The tokens of a context that hold a character of one of the spans, ascending.

        Raises:
            LeftOutError: There is none, or the tokenizer makes other tokens of the context when it
                is asked for characters.
        """
        added = self._lm.add_bos_token
        found = self._lm.tokenizer(
            context,
            return_offsets_mapping=True,
            **({} if added is None else {"add_special_tokens": added}),
        )
        if list(found.input_ids) != list(self._lm.tok_encode(context)):
            raise LeftOutError(TOKENISED_OTHERWISE)
        wanted = tuple(spans)
        places = tuple(
            place
            for place, (start, end) in enumerate(found.offset_mapping)
            if any(start < span.end and end > span.start for span in wanted)
        )
        if not places:
            raise LeftOutError(NO_TOKEN)
        return places

    def _held(self, context: Tokens, own: Tokens) -> Tokens:
        # The last token is scored, not read.
        if len(context) + max(len(own) - 1, 0) > self._lm.max_length:
            raise LeftOutError(TOO_LONG)
        return context


def usable(
    make: Callable[[_Row], _Named], rows: Iterable[_Row], left: dict[str, int]
) -> list[_Named]:
    """What can be made of rows.

    Args:
        make: Raises `LeftOutError` where a row gives nothing.
        rows: Whatever it takes.
        left: Counts by reason, which are added to.
    """
    found = []
    for row in rows:
        try:
            found.append(make(row))
        except LeftOutError as out:
            left[out.reason] = left.get(out.reason, 0) + 1
    return found


def first_of(
    found: Sequence[_Named], limit: int | None, left: dict[str, int]
) -> tuple[_Named, ...]:
    """The first by a hash of their ids, so that a file in any order gives the same ones.

    Args:
        found: What could be used.
        limit: How many are; None for all.
        left: Counts by reason; what is beyond the limit is added.
    """
    ranked = sorted(found, key=lambda one: (hashed(one.id), one.id))
    kept = tuple(ranked[:limit])
    if beyond := len(ranked) - len(kept):
        left[BEYOND_LIMIT] = beyond
    return kept


def hashed(text: str) -> int:
    """A whole number below 2⁶⁴ that hangs on the text alone."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")

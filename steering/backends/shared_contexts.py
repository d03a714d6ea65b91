"""Log-likelihoods of continuations whose contexts are computed once each.

Options share their context, and lm_eval computes it again for every option, and the vocabulary at
every position of it. Here a batch of distinct contexts is computed first, their continuations
follow on its keys and values, and logits are made of the scored positions alone.

Both are calls of the whole model, so whatever is attached to its layers takes effect.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

import torch

from sociolect.generators.errors import ModelError
from sociolect.steering.backends.prompt_cache import cache_name, plain_cache, without_adapters

METHOD = "shared contexts 1"
"""Part of the key of kept answers: raise it where a number may change."""

_GROWING_ROPE = ("dynamic", "longrope")
"""Rotary positions that depend on how much is read at once: context alone, or all of it."""

_SHOWN = 60
"""Characters of a continuation in a message."""

_logger = logging.getLogger("lm_eval")

Tokens = tuple[int, ...]
Request = tuple[Any, Sequence[int], Sequence[int]]
"""As lm_eval encodes one: its texts, tokens of the context, tokens of the continuation."""
Score = tuple[float, bool]
"""Log-likelihood in nats, and whether every token is the likeliest one."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """What is computed at once.

    Attributes:
        rows: Contexts, or continuations, of a batch.
        length: Tokens that the model holds.
    """

    rows: int
    length: int


@dataclass(frozen=True, slots=True)
class _Context:
    """A context with its distinct continuations, none of them empty."""

    tokens: Tokens
    continuations: tuple[Tokens, ...]

    @property
    def longest(self) -> int:
        """Tokens of the longest continuation that are read; its last one is not."""
        return max(map(len, self.continuations)) - 1


def can_share(model: Any) -> bool:
    """Whether continuations on the keys and values of a context are known to be exact.

    They are not where a model takes no positions, its cache is not plain (sliding windows,
    recurrent states), its positions depend on the length of the whole, or learned prompts come
    before every input.
    """
    config: Any = getattr(model, "active_peft_config", None)
    if getattr(config, "is_prompt_learning", False):
        return False
    rope = str(getattr(model.config, "rope_parameters", None))
    return not any(kind in rope for kind in _GROWING_ROPE) and plain_cache(model) is not None


class SharedContexts:
    """Scores continuations with one causal model.

    Args:
        model: On which `can_share` holds.
        sizes: Of batches.
        dtype: Of the log-softmax; None for float32. In half precision a sum of −200 nats would be
            rounded to whole nats.
        casting: Context in which the model is called (mixed precision).
    """

    def __init__(
        self,
        model: Any,
        sizes: Sizes,
        dtype: torch.dtype | None,
        casting: AbstractContextManager[Any],
    ) -> None:
        self._model, self._sizes, self._casting = model, sizes, casting
        self._dtype = dtype or torch.float32
        self._cache = cache_name(without_adapters(model).forward)

    def score(self, requests: Sequence[Request]) -> list[Score]:
        """One score a request, in their order.

        Like lm_eval's, a request beyond the context of the model loses its first tokens.

        Raises:
            ModelError: A continuation leaves no room for any context.
        """
        pairs = [_fitting(request, self._sizes.length) for request in requests]
        found: dict[tuple[Tokens, Tokens], Score] = {}
        with torch.no_grad(), self._casting:
            for batch in _batches(_contexts(pairs), self._sizes):
                found.update(self._scored(batch))
        return [found[pair] for pair in pairs]

    def _scored(self, batch: Sequence[_Context]) -> Iterator[tuple[tuple[Tokens, Tokens], Score]]:
        read = self._read(batch)
        rows = [(at, own) for at, one in enumerate(batch) for own in one.continuations]
        rows.sort(key=lambda row: (-len(row[1]), row))
        for start in range(0, len(rows), self._sizes.rows):
            part = rows[start : start + self._sizes.rows]
            for (at, own), score in zip(part, self._followed(read, part), strict=True):
                yield (batch[at].tokens, own), score

    def _read(self, batch: Sequence[_Context]) -> _Read:
        tokens, mask = _padded([one.tokens for one in batch], self._model.device, left=True)
        more = any(one.longest for one in batch)
        cache = plain_cache(self._model) if more else None
        logits = self._model(
            input_ids=tokens,
            attention_mask=mask,
            position_ids=(mask.cumsum(-1) - 1).clamp(min=0),
            use_cache=more,
            logits_to_keep=1,
            **({self._cache: cache} if more else {}),
        ).logits
        return _Read(mask, self._log_softmax(logits), cache)

    def _followed(self, read: _Read, rows: Sequence[tuple[int, Tokens]]) -> list[Score]:
        """Scores of continuations, each with the number of its context in the batch."""
        tokens, mask = _padded([own for _, own in rows], self._model.device, left=False)
        of = torch.tensor([at for at, _ in rows], device=tokens.device)
        first = _of_tokens(read.first[of], tokens[:, :1])
        parts = [first]
        if tokens.shape[1] > 1:
            parts.append(_of_tokens(self._later(read, of, tokens, mask), tokens[:, 1:]))
        values = torch.cat([values for values, _ in parts], dim=1).masked_fill(mask == 0, 0)
        greedy = torch.cat([greedy for _, greedy in parts], dim=1) | (mask == 0)
        return list(zip(values.sum(-1).tolist(), greedy.all(-1).tolist(), strict=True))

    def _later(
        self, read: _Read, of: torch.Tensor, tokens: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        """Log-probabilities after each token but the last; shape (rows, length − 1, vocabulary)."""
        context = read.mask[of]
        steps = torch.arange(tokens.shape[1] - 1, device=tokens.device)
        logits = self._model(
            input_ids=tokens[:, :-1],
            # The last token of every row is not read.
            attention_mask=torch.cat((context, mask[:, 1:]), dim=1),
            position_ids=context.sum(-1, keepdim=True) + steps,
            use_cache=True,
            **{self._cache: self._rows_of(read.cache, of)},
        ).logits
        return self._log_softmax(logits)

    def _rows_of(self, cache: Any, of: torch.Tensor) -> Any:
        """A cache of its own for each row: the model adds to it in place."""
        copy = plain_cache(self._model)
        for number, layer in enumerate(cache.layers):
            rows = of.to(layer.keys.device)
            copy.update(layer.keys[rows], layer.values[rows], number)
        return copy

    def _log_softmax(self, logits: torch.Tensor) -> torch.Tensor:
        return torch.log_softmax(logits, dim=-1, dtype=self._dtype)


@dataclass(frozen=True, slots=True)
class _Read:
    """A batch of contexts that the model has read.

    Attributes:
        mask: 1 where there is a token, shape (contexts, length).
        first: Log-probabilities of what comes next, shape (contexts, 1, vocabulary).
        cache: Keys and values; None if no continuation is longer than one token.
    """

    mask: torch.Tensor
    first: torch.Tensor
    cache: Any


def _fitting(request: Request, length: int) -> tuple[Tokens, Tokens]:
    """What the model reads of a request; the last token is scored, not read."""
    texts, context, continuation = request
    if len(continuation) > length:
        raise ModelError(
            f"the continuation {_start(texts)} has {len(continuation)} tokens, and the model holds "
            f"{length}, so that no context is left before it; shorten the item or leave it out"
        )
    both = (*context, *continuation)
    beyond = len(both) - (length + 1)
    if beyond > 0:
        _logger.warning(
            "Context (%d tokens) and continuation (%d) exceed the maximum length of the model "
            "(%d). Truncating %d tokens from the left.",
            len(context),
            len(continuation),
            length,
            beyond,
        )
        both = both[beyond:]
    return both[: -len(continuation)], tuple(continuation)


def _start(texts: Any) -> str:
    """The beginning of a continuation, quoted; of requests without texts nothing."""
    return repr(shorten(str(texts[1]), _SHOWN, placeholder=" …")) if texts else ""


def _contexts(pairs: Sequence[tuple[Tokens, Tokens]]) -> list[_Context]:
    """Distinct contexts, the longest first: what does not fit in memory fails at once."""
    continuations: dict[Tokens, dict[Tokens, None]] = {}
    for context, continuation in pairs:
        continuations.setdefault(context, {})[continuation] = None
    ordered = sorted(continuations, key=lambda tokens: (-len(tokens), tokens))
    return [_Context(tokens, tuple(continuations[tokens])) for tokens in ordered]


def _batches(contexts: Sequence[_Context], sizes: Sizes) -> Iterator[list[_Context]]:
    """Cut so that the padded whole is never longer than what the model holds."""
    batch: list[_Context] = []
    for one in contexts:
        longest = max(own.longest for own in (*batch, one))
        width = len(batch[0].tokens) if batch else 0
        if batch and (len(batch) == sizes.rows or width + longest > sizes.length):
            yield batch
            batch = []
        batch.append(one)
    if batch:
        yield batch


def _padded(
    rows: Sequence[Tokens], device: torch.device, *, left: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """Tokens and a mask that is 1 where there is one, both of shape (rows, length)."""
    width = max(map(len, rows))
    tokens = torch.zeros((len(rows), width), dtype=torch.long)
    mask = torch.zeros_like(tokens)
    for at, row in enumerate(rows):
        place = slice(width - len(row), width) if left else slice(0, len(row))
        tokens[at, place] = torch.tensor(row)
        mask[at, place] = 1
    return tokens.to(device), mask.to(device)


def _of_tokens(
    log_probabilities: torch.Tensor, tokens: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Of tokens (rows, length): their log-probabilities, and whether each is the likeliest."""
    values = log_probabilities.gather(-1, tokens.unsqueeze(-1)).squeeze(-1)
    return values, log_probabilities.argmax(-1) == tokens

"""The dialect direction of every block: a mean difference of hidden states (dialect paper, §4.3).

Texts that differ in one thing give one: contexts in AAE and SAE, prompts with and without errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import torch

from sociolect.generators.errors import InvalidInputError, ModelError
from sociolect.steering.hooks import Edit, decoder_blocks, editing

Tokens = Sequence[int]

_PARTS = 4
"""Sums that are kept of each block: of two halves of the pairs, each less the pairs whose sides are
swapped in the shuffled direction, and of these."""
_ROUNDING = 1e-6
"""A mean difference this small beside the hidden states is rounding."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two texts that differ in one thing.

    Attributes:
        id: Of the pair.
        toward: Tokens of the text that the direction points to (AAE).
        away: Tokens of the text that it points away from (SAE).
    """

    id: str
    toward: Tokens
    away: Tokens


@dataclass(frozen=True)
class Directions:
    """Directions of all blocks.

    Attributes:
        unit: v̂_l (Eq. 6), shape (depth, width), float32.
        mean_length: ‖Δ̄_l‖ before it was made 1, shape (depth,).
        norms: Median norm of the hidden states that were compared, each text once, shape (depth,).
        stability: Cosine of the directions of two halves of the pairs, shape (depth,); NaN where
            one of them has none, as of one pair.
        shuffled: Directions of the same pairs with the sides of half of them swapped, by a hash of
            id and seed, so that what the sides differ in cancels. Length 1; NaN if all does.
        pairs: That were compared.
        too_long: Ids of pairs that the model cannot read.
    """

    unit: torch.Tensor
    mean_length: torch.Tensor
    norms: torch.Tensor
    stability: torch.Tensor
    shuffled: torch.Tensor
    pairs: int
    too_long: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A text, and how often its hidden state is added to each of the sums."""

    tokens: tuple[int, ...]
    times: tuple[int, ...]


def extract(
    model: Any,
    contrasts: Sequence[Contrast],
    *,
    batch: int = 16,
    longest: int | None = None,
    blocks: str = "",
    seed: int = 0,
    progress: Callable[[int], None] = lambda done: None,
) -> Directions:
    """Directions of all blocks in one pass over the texts (dialect paper, Eqs. 5–6).

    The hidden state of a text is what a block gives at its last token. As the mean of differences
    is the difference of means, sums are kept, in float64, and no state. A text of several pairs is
    read once.

    Args:
        model: A causal language model of transformers, in evaluation mode.
        contrasts: Tokens as the scorer makes them.
        batch: Texts at a time; texts of like length go together.
        longest: Tokens that the model reads; pairs with a longer text are left out and named.
        blocks: See `decoder_blocks`.
        seed: Of the shuffled direction.
        progress: Told after every batch how many texts it had.

    Raises:
        InvalidInputError: No pair is left, a text has no token, or the texts do not differ.
        ModelError: The model is in training mode, its blocks cannot be told, or their output is no
            number or has other positions than the text.
    """
    if model.training:
        raise ModelError("the model is in training mode, so dropout changes it; call model.eval()")
    fitting, too_long = _fitting(contrasts, longest)
    layers = decoder_blocks(model, blocks)
    sums, norms = torch.zeros((), dtype=torch.float64), []
    with torch.inference_mode():
        for texts in batches(texts_of(fitting, seed), batch):
            hidden = last_states(model, layers, [text.tokens for text in texts])
            times = torch.tensor([text.times for text in texts], device=hidden.device)
            sums = sums + torch.einsum("ltw,tp->plw", hidden, times.float()).cpu().double()
            norms.append(hidden.norm(dim=-1).T.cpu())
            progress(len(texts))
    return _directions(sums, torch.cat(norms), len(fitting), too_long)


def texts_of(contrasts: Sequence[Contrast], seed: int = 0) -> list[Text]:
    """The distinct texts of pairs, longest first: what does not fit in memory fails at once."""
    times: dict[tuple[int, ...], list[int]] = {}
    second = _half(contrasts, "half")
    swapped = _half(contrasts, f"shuffled {seed}")
    for one in contrasts:
        part = (one.id in second) + 2 * (one.id in swapped)
        for tokens, sign in ((one.toward, 1), (one.away, -1)):
            times.setdefault(tuple(tokens), [0] * _PARTS)[part] += sign
    texts = [Text(tokens, tuple(counts)) for tokens, counts in times.items()]
    return sorted(texts, key=lambda text: (-len(text.tokens), text.tokens))


def batches(texts: Sequence[Text], size: int) -> Iterator[Sequence[Text]]:
    """Texts that are read at a time."""
    for start in range(0, len(texts), size):
        yield texts[start : start + size]


def last_states(model: Any, blocks: Any, texts: Sequence[Tokens]) -> torch.Tensor:
    """What every block gives at the last token of texts.

    Padding is behind the texts, so that every model counts positions from their beginning, one
    that is told no positions too.

    Args:
        model: A causal language model of transformers.
        blocks: From `decoder_blocks`.
        texts: Tokens, at least one each.

    Returns:
        Shape (depth, texts, width), float32, on the device of the model.

    Raises:
        ModelError: Blocks give other positions than the model was given, or do not run.
    """
    given = padded(texts, model.device)
    rows = torch.arange(len(texts), device=model.device)
    last = given["attention_mask"].sum(-1) - 1
    found: list[torch.Tensor | None] = [None] * len(blocks)

    def keep(layer: int) -> Edit:
        def edit(hidden: torch.Tensor) -> torch.Tensor:
            if hidden.shape[:2] != given["input_ids"].shape:
                raise ModelError(
                    f"decoder block {layer} gives hidden states of shape {tuple(hidden.shape)} for "
                    f"tokens of shape {tuple(given['input_ids'].shape)}, so the last one of a text "
                    "cannot be told"
                )
            found[layer] = hidden[rows.to(hidden.device), last.to(hidden.device)]
            return hidden

        return edit

    with editing(blocks, {layer: keep(layer) for layer in range(len(blocks))}):
        model(**given, use_cache=False, logits_to_keep=1)
    read = [state for state in found if state is not None]
    if idle := len(blocks) - len(read):
        raise ModelError(f"{idle} of {len(blocks)} decoder blocks did not run")
    return torch.stack([state.to(model.device, torch.float32) for state in read])


def padded(texts: Sequence[Tokens], device: torch.device) -> dict[str, torch.Tensor]:
    """Tokens, and a mask that is 1 where there is one; shape (texts, length)."""
    width = max(map(len, texts))
    tokens = torch.tensor([[*text, *[0] * (width - len(text))] for text in texts])
    lengths = torch.tensor([[len(text)] for text in texts])
    mask = (torch.arange(width) < lengths).long()
    return {"input_ids": tokens.to(device), "attention_mask": mask.to(device)}


def _fitting(
    contrasts: Sequence[Contrast], longest: int | None
) -> tuple[list[Contrast], tuple[str, ...]]:
    """The pairs that the model can read, and the ids of the others."""
    if empty := [one.id for one in contrasts if not (one.toward and one.away)]:
        raise InvalidInputError(f"pair {empty[0]}: a text without a token has no last one")
    limit = math.inf if longest is None else longest
    left = tuple(one.id for one in contrasts if max(map(len, (one.toward, one.away))) > limit)
    fitting = [one for one in contrasts if max(map(len, (one.toward, one.away))) <= limit]
    if not fitting:
        why = f"all {len(left)} are longer than {longest} tokens" if left else "none was given"
        raise InvalidInputError(f"no pair to find a direction in: {why}")
    if all(tuple(one.toward) == tuple(one.away) for one in fitting):
        raise InvalidInputError(
            f"both texts are the same in all {len(fitting)} pairs (the first is {fitting[0].id}), "
            "so there is no direction from one to the other"
        )
    return fitting, left


def _directions(
    sums: torch.Tensor, norms: torch.Tensor, pairs: int, too_long: tuple[str, ...]
) -> Directions:
    """From sums of differences, shape (parts, depth, width), and norms (texts, depth)."""
    first, second, first_swapped, second_swapped = sums
    mean = sums.sum(0) / pairs
    length = mean.norm(dim=-1)
    median = torch.from_numpy(np.median(norms.double().numpy(), axis=0))
    if not bool((torch.isfinite(length) & torch.isfinite(median)).all()):
        raise ModelError("hidden states hold NaN or infinity; load the model in another precision")
    if none := (length <= _ROUNDING * median).nonzero().flatten().tolist():
        raise InvalidInputError(
            f"the mean difference of {pairs} pairs is 0 after decoder block {none[0]}: no direction"
        )
    floor = _ROUNDING * median * pairs
    halves = _unit(first + first_swapped, floor), _unit(second + second_swapped, floor)
    return Directions(
        unit=(mean / length[:, None]).float(),
        mean_length=length.float(),
        norms=median.float(),
        stability=(halves[0] * halves[1]).sum(-1).float(),
        shuffled=_unit(first + second - first_swapped - second_swapped, floor).float(),
        pairs=pairs,
        too_long=too_long,
    )


def _unit(vectors: torch.Tensor, floor: torch.Tensor) -> torch.Tensor:
    """Vectors of length 1; NaN for those that are no longer than `floor`."""
    lengths = vectors.norm(dim=-1)
    return vectors / torch.where(lengths > floor, lengths, torch.nan)[:, None]


def _half(contrasts: Sequence[Contrast], what: str) -> set[str]:
    """The ids of every other pair, in the order of a hash of what they are drawn for and the id."""
    ids = [one.id for one in contrasts]
    ids.sort(key=lambda id_: blake2b(f"{what}\n{id_}".encode(), digest_size=8).digest())
    return {*ids[1::2]}

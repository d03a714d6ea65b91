"""Log-likelihoods of whole texts under a causal language model, without a chat template."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sociolect.generators.errors import InvalidInputError, MissingToolError

if TYPE_CHECKING:
    import torch

BATCH_SIZE = 16


class Likelihood:
    """A model that scores texts, in float32 so that differences of single words survive.

    Args:
        model: Folder or Hub name of a causal language model of `transformers`.
        device: As torch names it; empty for a GPU if there is one, else the CPU.

    Raises:
        MissingToolError: torch or transformers is not installed.
        InvalidInputError: The model cannot be loaded, or has no token to begin a text with.
    """

    def __init__(self, model: str, device: str = "") -> None:
        try:
            import torch
            from transformers import AutoModelForCausalLM, AutoTokenizer
        except ModuleNotFoundError as error:
            raise MissingToolError(
                f"the Python package {error.name!r} is not installed, and scoring texts needs it. "
                "Install it with: pip install 'sociolect[hf]'"
            ) from None
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(model)
            loaded: Any = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
            self._model = loaded.to(self.device).eval()
        except (OSError, ValueError, RuntimeError) as error:
            said = str(error).strip().splitlines() or [type(error).__name__]
            raise InvalidInputError(
                f"the model {model!r} cannot be loaded: {said[0]} Name a folder or a Hub id of a "
                "causal language model"
            ) from error
        self._begin = self._first_token(model)
        self._longest = int(getattr(loaded.config, "max_position_embeddings", 0) or 2**31)

    def _first_token(self, model: str) -> int:
        """What a text is conditioned on: the token that begins one, else the one that ends one."""
        for token in (self._tokenizer.bos_token_id, self._tokenizer.eos_token_id):
            if token is not None:
                return int(token)
        raise InvalidInputError(f"the tokenizer of {model!r} has no token to begin a text with")

    def score(self, texts: Sequence[str], progress: Any = None) -> list[float | None]:
        """Log-likelihood of each text in nats, all its tokens summed.

        Args:
            texts: Any texts; equal ones are scored once.
            progress: Called with the number of texts that were just scored.

        Returns:
            A number at most 0 for each text; None for one that is longer than the model reads.
        """
        unique = list(dict.fromkeys(texts))
        encoded = [
            [self._begin, *self._tokenizer.encode(t, add_special_tokens=False)] for t in unique
        ]
        fitting = [i for i, ids in enumerate(encoded) if len(ids) <= self._longest]
        found: dict[str, float | None] = dict.fromkeys(unique)
        # Texts of like length together, the longest first: what does not fit fails at once.
        for batch in _batches(sorted(fitting, key=lambda i: (-len(encoded[i]), i))):
            scores = self._scores([encoded[i] for i in batch])
            found.update(zip((unique[i] for i in batch), scores, strict=True))
            if progress is not None:
                progress(len(batch))
        return [found[text] for text in texts]

    def _scores(self, batch: Sequence[Sequence[int]]) -> list[float]:
        import torch

        width = max(len(ids) for ids in batch)
        ids = torch.zeros((len(batch), width), dtype=torch.long)
        mask = torch.zeros((len(batch), width), dtype=torch.long)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            mask[row, : len(tokens)] = 1
        ids, mask = ids.to(self.device), mask.to(self.device)
        with torch.inference_mode():
            logits = self._model(input_ids=ids, attention_mask=mask).logits
            return _summed(logits, ids, mask)


def _batches(indices: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(indices), BATCH_SIZE):
        yield indices[start : start + BATCH_SIZE]


def _summed(logits: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor) -> list[float]:
    """Σ log p of every token after the first; shapes (batch, length, words), (batch, length)."""
    import torch

    totals: Iterable[torch.Tensor] = (
        # One text at a time: the logarithms of a whole batch would double the memory.
        (row[:-1].float().log_softmax(-1).gather(-1, tokens[1:, None])[:, 0] * kept[1:]).sum()
        for row, tokens, kept in zip(logits, ids, mask, strict=True)
    )
    return [float(total) for total in torch.stack(list(totals)).double().cpu()]

"""Encoders and classifiers of `transformers`: loaded, and texts handed to them in batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sociolect.generators.errors import MissingToolError, ModelError

if TYPE_CHECKING:
    import torch

BATCH_SIZE = 32
_MANY = 10**6
_OFFSET_MODELS = ("roberta", "camembert", "xlm-roberta", "xmod", "longformer")
"""Position embeddings of these begin behind the padding token."""


class Batch(NamedTuple):
    """Token ids of some texts.

    Attributes:
        ids: Shape (texts, length), padded at the end.
        mask: The same shape; 1 where there is a token of the text.
    """

    ids: torch.Tensor
    mask: torch.Tensor


class TextModel:
    """An encoder or a classifier in float32, with its tokenizer.

    Nothing that comes with a model is executed (no remote code).

    Args:
        name: Folder or Hub name.
        kind: `encoder` for hidden states, `classifier` for labels of a whole text.
        device: As torch names it; empty for a GPU if there is one, else the CPU.

    Attributes:
        longest: Tokens that a text may have, those around it counted.

    Raises:
        MissingToolError: torch or transformers is not installed.
        ModelError: It cannot be loaded, lacks weights of its kind, or has no padding token.
    """

    def __init__(self, name: str, kind: Literal["encoder", "classifier"], device: str = "") -> None:
        try:
            import torch
            from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer
        except ModuleNotFoundError as error:
            raise MissingToolError(
                f"the Python package {error.name!r} is not installed, which models need: "
                "pip install 'sociolect[dialect]'"
            ) from None
        loader: Any = AutoModel if kind == "encoder" else AutoModelForSequenceClassification
        self.name = name
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            self.tokenizer: Any = AutoTokenizer.from_pretrained(name)
            loaded, info = loader.from_pretrained(
                name, dtype=torch.float32, output_loading_info=True
            )
            self.model: Any = loaded.to(self.device).eval()
        except (OSError, ValueError, RuntimeError, KeyError) as error:
            said = str(error).strip().splitlines() or [type(error).__name__]
            raise ModelError(
                f"the model {name!r} cannot be loaded: {said[0]} Name a folder or a Hub name"
            ) from error
        self._check_weights(info["missing_keys"], kind)
        self.longest = self._longest()

    def _check_weights(self, missing: Sequence[str], kind: str) -> None:
        """Refuse weights that would be random: a head that was never trained."""
        lacking = sorted(key for key in missing if kind == "classifier" or "pooler" not in key)
        if lacking:
            raise ModelError(
                f"{self.name} is no {kind}: it lacks the weights {', '.join(lacking[:3])}. Name "
                f"a model that was trained as {'one' if kind == 'classifier' else 'an encoder'}"
            )
        if self.tokenizer.pad_token_id is None:
            raise ModelError(f"the tokenizer of {self.name} has no padding token")

    def _longest(self) -> int:
        config = self.model.config
        places = int(getattr(config, "max_position_embeddings", 0) or _MANY)
        if config.model_type in _OFFSET_MODELS:
            places -= int(config.pad_token_id or 0) + 1
        return min(places, int(min(self.tokenizer.model_max_length, _MANY)))

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of texts, with the tokens that the model puts around one; nothing is cut."""
        if not texts:
            return []
        return [list(ids) for ids in self.tokenizer(list(texts), verbose=False)["input_ids"]]

    def batch(self, encoded: Sequence[Sequence[int]]) -> Batch:
        """Texts of one batch as tensors on the device."""
        import torch

        width = max(len(ids) for ids in encoded)
        ids = torch.full((len(encoded), width), int(self.tokenizer.pad_token_id))
        mask = torch.zeros((len(encoded), width), dtype=torch.long)
        for row, tokens in enumerate(encoded):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            mask[row, : len(tokens)] = 1
        return Batch(ids.to(self.device), mask.to(self.device))


def by_length(lengths: Sequence[int], longest: int) -> Iterator[list[int]]:
    """Indices of what is not too long, in batches of like length, the longest first."""
    fitting = [i for i, length in enumerate(lengths) if length <= longest]
    order = sorted(fitting, key=lambda i: (-lengths[i], i))
    for start in range(0, len(order), BATCH_SIZE):
        yield order[start : start + BATCH_SIZE]

"""Encoders and classifiers of `transformers`: loaded, and texts handed to them in batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sociolect.generators.errors import ModelError
from sociolect.harness.dialect.model_files import (
    ModelFiles,
    chosen_device,
    loaded,
    longest_text,
)

if TYPE_CHECKING:
    import torch

BATCH_SIZE = 32


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
        files: Of the model.
        kind: `encoder` for hidden states, `classifier` for labels of a whole text.
        device: As torch names it; empty for a GPU if there is one, else the CPU.

    Attributes:
        longest: Tokens that a text may have, those around it counted.

    Raises:
        MissingToolError: torch or transformers is not installed.
        ModelError: It cannot be loaded, lacks weights of its kind, or has no padding token.
    """

    def __init__(
        self, files: ModelFiles, kind: Literal["encoder", "classifier"], device: str = ""
    ) -> None:
        self.name = files.name
        what = "an encoder" if kind == "encoder" else "a classifier"
        self.model: Any
        self.tokenizer: Any
        self.model, self.tokenizer, info = loaded(
            lambda: _load(str(files.folder), kind, device), files.name, what
        )
        self.device = str(self.model.device)
        self._check_weights(info["missing_keys"], kind)
        self.longest = longest_text(self.model.config, self.tokenizer)

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


def _load(folder: str, kind: str, device: str) -> tuple[Any, Any, Mapping[str, Any]]:
    import torch
    from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

    loader: Any = AutoModel if kind == "encoder" else AutoModelForSequenceClassification
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model, info = loader.from_pretrained(
        folder, dtype=torch.float32, output_loading_info=True, local_files_only=True
    )
    return model.to(chosen_device(device)).eval(), tokenizer, info


def by_length(lengths: Sequence[int], longest: int) -> Iterator[list[int]]:
    """Indices of what is not too long, in batches of like length, the longest first."""
    fitting = [i for i, length in enumerate(lengths) if length <= longest]
    order = sorted(fitting, key=lambda i: (-lengths[i], i))
    for start in range(0, len(order), BATCH_SIZE):
        yield order[start : start + BATCH_SIZE]

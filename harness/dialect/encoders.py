"""Sentence vectors φ, for the semantic shift of Eq. 12 of the dialect paper (App. B.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sociolect.harness.dialect.model_files import ModelFiles, chosen_device, loaded

ENCODER = "sentence-transformers/all-MiniLM-L6-v2"
"""The paper names no encoder; this one is small, and made to compare sentences."""
BATCH = 64


class SentenceEncoder:
    """A model of sentence-transformers, in float32.

    Args:
        files: Of the model.
        device: As torch names it; empty for a GPU if there is one, else the CPU.
        batch: Texts at a time. Texts of like length are put together, so that little is padded;
            which ones are together changes a vector by rounding alone.

    Raises:
        MissingToolError: sentence-transformers is not installed.
        ModelError: The files are no sentence encoder.
    """

    def __init__(self, files: ModelFiles, device: str = "", batch: int = BATCH) -> None:
        self._model: Any = loaded(lambda: _load(files, device), files.name, "a sentence encoder")
        self._batch = batch

    @property
    def longest(self) -> int | None:
        """Tokens that it reads of a text; it would pass over the rest in silence."""
        longest = self._model.max_seq_length
        return None if longest is None else int(longest)

    def __call__(self, texts: Sequence[str]) -> NDArray[Any]:
        """Vectors of texts.

        Args:
            texts: Equal ones are encoded once.

        Returns:
            Shape (texts, dimensions), float32; a row of NaN for a text that is longer than the
            encoder reads.
        """
        tokens = self._tokens(list(dict.fromkeys(texts)))
        longest = self.longest
        fitting = [t for t, n in tokens.items() if longest is None or n <= longest]
        # By tokens: by characters, as sentence-transformers would, a third of all is padding.
        fitting.sort(key=lambda text: tokens[text])
        vectors = self._encoded(fitting)
        row = {text: i for i, text in enumerate(fitting)}
        nothing = np.full(vectors.shape[1], np.nan, dtype=np.float32)
        return np.stack([vectors[row[t]] if t in row else nothing for t in texts])

    def _encoded(self, texts: list[str]) -> NDArray[np.float32]:
        batches = [texts[i : i + self._batch] for i in range(0, len(texts), self._batch)]
        return np.concatenate([self._batch_encoded(batch) for batch in batches or [[""]]])

    def _batch_encoded(self, batch: list[str]) -> NDArray[np.float32]:
        vectors = self._model.encode(
            batch, batch_size=len(batch), convert_to_numpy=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32)

    def _tokens(self, texts: list[str]) -> dict[str, int]:
        """How many tokens each text has, with those that begin and end it."""
        if not texts:
            return {}
        ids = self._model.tokenizer(texts, truncation=False, padding=False, verbose=False)
        return {text: len(one) for text, one in zip(texts, ids["input_ids"], strict=True)}


def _load(files: ModelFiles, device: str) -> Any:
    import torch
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(
        str(files.folder),
        device=chosen_device(device),
        local_files_only=True,
        model_kwargs={"dtype": torch.float32},
    ).eval()

"""Words that say the same in two texts, by awesome-align's method (Dou and Neubig 2021).

Each text is read by itself. The similarity of two subwords is the dot product of their vectors in
a middle layer; a softmax over the subwords of either text makes it two probabilities, and a link
needs both above a threshold. Words are linked if any of their subwords are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sociolect.generators.dialect.projection import Link
from sociolect.generators.errors import InvalidInputError
from sociolect.harness.dialect.model_files import (
    ModelFiles,
    chosen_device,
    loaded,
    longest_text,
    marks_spaces,
)

if TYPE_CHECKING:
    import torch

ALIGNER = "aneuraz/awesome-align-with-co"
"""The model of the paper: a multilingual BERT, trained further on parallel text."""
THRESHOLD = 1e-3
"""Both probabilities of a link are above it; as awesome-align has it."""
BATCH = 32
_LAYER = 8 / 12
"""The eighth layer of twelve, as awesome-align has it; as deep in a model of another size."""

Words = Sequence[str]


@dataclass(frozen=True, slots=True)
class _Read:
    """A text as the model reads it.

    Attributes:
        ids: Tokens with those that begin and end a text.
        words: The word of each token, None for the latter.
    """

    ids: list[int]
    words: list[int | None]


def check_threshold(threshold: float) -> None:
    """Refuse a threshold that is no probability.

    Raises:
        InvalidInputError: It is below 0, or 1 or more.
    """
    if not 0 <= threshold < 1:
        raise InvalidInputError(f"the threshold must be 0 or more and below 1, not {threshold}")


def check_layer(layer: int, layers: int, name: str) -> None:
    """Refuse a layer that a model of so many layers has not.

    Raises:
        InvalidInputError: No such layer.
    """
    if not 1 <= layer <= layers:
        raise InvalidInputError(f"{name} has layers 1 to {layers}, and no {layer}")


class WordAligner:
    """An encoder of transformers, in float32.

    Args:
        files: Of the model, with a fast tokenizer.
        layer: Whose vectors are compared, 1 for the first; None for two thirds of all layers,
            8 of 12.
        threshold: Of the probabilities, 0 or more, below 1.
        device: As torch names it; empty for a GPU if there is one, else the CPU.
        batch: Texts at a time, of like length. Which ones changes a vector by rounding alone.

    Attributes:
        layer: The one that is used.
        longest: Tokens of a text that the model reads, with those that begin and end it.

    Raises:
        MissingToolError: transformers is not installed.
        ModelError: The files are no such model.
        InvalidInputError: No such layer; a threshold out of range.
    """

    def __init__(
        self,
        files: ModelFiles,
        *,
        layer: int | None = None,
        threshold: float = THRESHOLD,
        device: str = "",
        batch: int = BATCH,
    ) -> None:
        check_threshold(threshold)
        self._model, self._tokenizer = loaded(
            lambda: _load(files, device), files.name, "an encoder with a fast tokenizer"
        )
        layers = int(self._model.config.num_hidden_layers)
        self.layer = round(_LAYER * layers) if layer is None else layer
        check_layer(self.layer, layers, files.name)
        self.longest = longest_text(self._model.config, self._tokenizer)
        self._before = " " if marks_spaces(self._tokenizer) else ""
        self._threshold, self._batch = threshold, batch

    def __call__(self, sae: Words, aae: Words) -> set[Link] | None:
        """Links of one pair; see `align_all`."""
        return self.align_all([(sae, aae)])[0]

    def align_all(self, pairs: Sequence[tuple[Words, Words]]) -> list[set[Link] | None]:
        """Links of pairs.

        Args:
            pairs: Words of the SAE text and of the AAE text, punctuation split off.

        Returns:
            For each pair positions (SAE word, AAE word); None if a text is longer than the model
            reads.
        """
        texts = list(dict.fromkeys(tuple(words) for pair in pairs for words in pair))
        read = {text: self._read(text) for text in texts}
        fitting = [text for text in texts if len(read[text].ids) <= self.longest]
        vectors = dict(self._vectors(fitting, read))
        return [
            self._links(
                read[tuple(sae)], read[tuple(aae)], vectors[tuple(sae)], vectors[tuple(aae)]
            )
            if tuple(sae) in vectors and tuple(aae) in vectors
            else None
            for sae, aae in pairs
        ]

    def _read(self, words: tuple[str, ...]) -> _Read:
        encoded = self._tokenizer(
            [f"{self._before}{word}" for word in words],
            is_split_into_words=True,
            truncation=False,
            verbose=False,
        )
        return _Read(list(encoded["input_ids"]), list(encoded.word_ids(0)))

    def _vectors(
        self, texts: list[tuple[str, ...]], read: dict[tuple[str, ...], _Read]
    ) -> Iterator[tuple[tuple[str, ...], torch.Tensor]]:
        """Vectors of the tokens of each text, shape (tokens, dimensions)."""
        import torch

        ordered = sorted(texts, key=lambda text: (len(read[text].ids), text))
        for start in range(0, len(ordered), self._batch):
            batch = ordered[start : start + self._batch]
            ids = [read[text].ids for text in batch]
            padded = self._tokenizer.pad({"input_ids": ids}, return_tensors="pt").to(
                self._model.device
            )
            with torch.inference_mode():
                states = self._model(**padded, output_hidden_states=True).hidden_states[self.layer]
            for text, vectors, one in zip(batch, states.float().cpu(), ids, strict=True):
                yield text, vectors[: len(one)]

    def _links(
        self, sae: _Read, aae: _Read, of_sae: torch.Tensor, of_aae: torch.Tensor
    ) -> set[Link]:
        rows = [i for i, word in enumerate(sae.words) if word is not None]
        columns = [k for k, word in enumerate(aae.words) if word is not None]
        if not (rows and columns):
            return set()
        similarity = of_sae[rows] @ of_aae[columns].T
        return {
            (int(sae.words[rows[i]] or 0), int(aae.words[columns[k]] or 0))
            for i, k in intersection(similarity, self._threshold)
        }


def intersection(similarity: torch.Tensor, threshold: float = THRESHOLD) -> list[Link]:
    """Pairs of subwords that are likely in both directions.

    Args:
        similarity: Dot products, shape (subwords of one text, subwords of the other).
        threshold: Both probabilities are above it.

    Returns:
        Positions (row, column).
    """
    forward, backward = similarity.softmax(1), similarity.softmax(0)
    linked = ((forward > threshold) & (backward > threshold)).nonzero()
    return [(int(i), int(k)) for i, k in linked]


def _load(files: ModelFiles, device: str) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = str(files.folder)
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    if not tokenizer.is_fast:
        raise ValueError("its tokenizer does not say which word a token is of")
    tokenizer.padding_side = "right"
    model = AutoModel.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
    return model.to(chosen_device(device)).eval(), tokenizer

"""Whether a classifier gives AAE and SAE the same sentiment (dialect paper, §3 and Table 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sociolect.harness.dialect.model_files import find_model
from sociolect.harness.dialect.text_models import TextModel, by_length

DEFAULT_MODEL = "cardiffnlp/twitter-roberta-base-sentiment-latest"
"""The classifier of the dialect paper, App. A."""

Advance = Callable[[int], None]


class SentimentClassifier:
    """Labels of texts.

    Args:
        model: Folder or Hub name of a text classifier.
        device: As torch names it; empty for a GPU if there is one, else the CPU.

    Attributes:
        names: Of the labels, in the order of their numbers.
        record: Name, revision and hashes of the files of the model.

    Raises:
        MissingToolError: The model is not here.
        ModelError: The model cannot be used.
    """

    def __init__(self, model: str = DEFAULT_MODEL, device: str = "") -> None:
        files = find_model(model)
        self.record = files.record()
        self._model = TextModel(files, "classifier", device)
        named = self._model.model.config.id2label
        self.names = tuple(str(named[number]).capitalize() for number in sorted(named))

    def label(
        self, texts: Sequence[str], progress: Advance = lambda texts: None
    ) -> list[int | None]:
        """The most probable label of every text.

        Args:
            texts: Any texts.
            progress: Told how many texts were just labelled.

        Returns:
            The number of a label for each; None for a text that is longer than the model reads.
        """
        import torch

        encoded = self._model.encode(texts)
        found: list[int | None] = [None] * len(encoded)
        for indices in by_length([len(ids) for ids in encoded], self._model.longest):
            ids, mask = self._model.batch([encoded[i] for i in indices])
            with torch.inference_mode():
                logits = self._model.model(input_ids=ids, attention_mask=mask).logits
            for index, label in zip(indices, logits.argmax(dim=-1).tolist(), strict=True):
                found[index] = int(label)
            progress(len(indices))
        return found


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """Labels of AAE against those of SAE.

    Attributes:
        names: Of the labels.
        matrix: Pairs by label of the AAE text (rows) and of the SAE text (columns).
        unlabelled: Pairs of which a text has no label.
    """

    names: tuple[str, ...]
    matrix: npt.NDArray[np.int64]
    unlabelled: int

    @property
    def n(self) -> int:
        """Pairs with both labels."""
        return int(self.matrix.sum())

    @property
    def agreement(self) -> float | None:
        """Share of those pairs, 0 to 1, whose labels are equal; None if there is none."""
        return float(np.trace(self.matrix) / self.n) if self.n else None


def label_agreement(
    aae: Sequence[int | None], sae: Sequence[int | None], names: Sequence[str]
) -> LabelAgreement:
    """Count the labels of pairs.

    Args:
        aae: Number of a label for each AAE text, None for none.
        sae: The same for the SAE text of the same pair.
        names: Of the labels.
    """
    both = [(a, s) for a, s in zip(aae, sae, strict=True) if a is not None and s is not None]
    counted = np.zeros((len(names), len(names)), dtype=np.int64)
    for row, column in both:
        counted[row, column] += 1
    return LabelAgreement(tuple(names), counted, len(aae) - len(both))

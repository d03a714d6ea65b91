"""BERTScore between two texts (Zhang et al. 2020): how much of one is found in the other.

As the package `bert-score` computes it without idf weights and without rescaling: tokens around a
text (`[CLS]`, `<s>`) may be matched but count nothing. That package has had no release since 2023
and cuts long texts without a word, so it is not used; the tests hold its numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.dialect.model_files import find_model, layers_of, marks_spaces
from sociolect.harness.dialect.text_models import TextModel, by_length

if TYPE_CHECKING:
    import torch

DEFAULT_MODEL = "cardiffnlp/twitter-roberta-base-2022-154m"
"""The encoder of the dialect paper, §3."""
LAYERS: Mapping[str, int] = {DEFAULT_MODEL: 10}
"""Layers of known models. The paper names none; this is the one that `bert-score` takes of RoBERTa
base, which the model is a continuation of."""

Advance = Callable[[int], None]


class Score(NamedTuple):
    """BERTScore of a candidate against a reference, each −1 to 1.

    Attributes:
        precision: Mean over the tokens of the candidate of the best match in the reference.
        recall: The same with the two exchanged.
        f1: 2PR / (P + R).
    """

    precision: float
    recall: float
    f1: float


class BertScorer:
    """Scores texts with one encoder.

    Args:
        model: Folder or Hub name of an encoder.
        layer: Whose hidden states are compared, 0 for the embeddings; None for that of `LAYERS`,
            or the last one.
        device: As torch names it; empty for a GPU if there is one, else the CPU.

    Attributes:
        layer: The one that is used.
        record: Name, revision and hashes of the files of the model.
        note: Why this layer, if none was asked for and none is known for the model; else empty.

    Raises:
        InvalidInputError: The model has no such layer.
        MissingToolError: The model is not here.
        ModelError: The model cannot be used.
    """

    def __init__(
        self, model: str = DEFAULT_MODEL, layer: int | None = None, device: str = ""
    ) -> None:
        files = find_model(model)
        self.record = files.record()
        last = layers_of(files)
        self.layer = LAYERS.get(model, last) if layer is None else layer
        if not 0 <= self.layer <= last:
            raise InvalidInputError(f"--bertscore-layer {layer}: {model} has layers 0 to {last}")
        taken = f"layer {last} was taken, the last: none is known for {self.record['name']}"
        self.note = taken if layer is None and model not in LAYERS else ""
        self._model = TextModel(files, "encoder", device)

    def score(
        self,
        candidates: Sequence[str],
        references: Sequence[str],
        progress: Advance = lambda pairs: None,
    ) -> list[Score | None]:
        """Scores of pairs of texts.

        Args:
            candidates: Any texts.
            references: As many.
            progress: Told how many pairs were just scored.

        Returns:
            One a pair; None where one of the two is longer than the model reads, or has no token.
        """
        first, second = self._encode(candidates), self._encode(references)
        lengths = [max(len(a), len(b)) for a, b in zip(first, second, strict=True)]
        found: list[Score | None] = [None] * len(lengths)
        for indices in by_length(lengths, self._model.longest):
            scored = self._batch([first[i] for i in indices], [second[i] for i in indices])
            for index, score in zip(indices, scored, strict=True):
                found[index] = score
            progress(len(indices))
        return found

    def _encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of texts; the first word is one like the others, as in `bert-score`."""
        before = " " if marks_spaces(self._model.tokenizer) else ""
        return self._model.encode([f"{before}{bare}" if (bare := t.strip()) else "" for t in texts])

    def _batch(
        self, candidates: Sequence[Sequence[int]], references: Sequence[Sequence[int]]
    ) -> list[Score | None]:
        import torch

        with torch.inference_mode():
            scores = greedy_match(*self._states(candidates), *self._states(references))
        rows = torch.stack(scores, dim=1).double().cpu().tolist()
        # A mean over no token is not a number.
        return [Score(*row) if all(map(math.isfinite, row)) else None for row in rows]

    def _states(
        self, encoded: Sequence[Sequence[int]]
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Hidden states, which of them are tokens, and which of those count."""
        import torch

        ids, mask = self._model.batch(encoded)
        made = self._model.model(input_ids=ids, attention_mask=mask, output_hidden_states=True)
        tokenizer = self._model.tokenizer
        around = {tokenizer.cls_token_id, tokenizer.sep_token_id} - {None}
        edge = torch.isin(ids, torch.tensor(sorted(around), device=ids.device))
        return made.hidden_states[self.layer], mask.bool(), mask.bool() & ~edge


def greedy_match(
    candidate: torch.Tensor,
    candidate_tokens: torch.Tensor,
    candidate_counted: torch.Tensor,
    reference: torch.Tensor,
    reference_tokens: torch.Tensor,
    reference_counted: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Precision, recall and F1 of a batch (Zhang et al. 2020, §3, without idf).

    Every token is matched with the one of the other text whose cosine similarity is highest.

    Args:
        candidate: Vectors of tokens, shape (texts, m, d).
        candidate_tokens: Which places hold a token, shape (texts, m).
        candidate_counted: Which tokens count in the mean, the same shape; a mean over none is NaN.
        reference: Shape (texts, n, d).
        reference_tokens: Shape (texts, n).
        reference_counted: The same shape.

    Returns:
        Three tensors of shape (texts,).
    """
    from torch.nn.functional import normalize

    cosine = normalize(candidate, dim=-1) @ normalize(reference, dim=-1).transpose(1, 2)
    both = candidate_tokens[:, :, None] & reference_tokens[:, None, :]
    cosine = cosine.masked_fill(~both, float("-inf"))
    precision = _mean(cosine.amax(dim=2), candidate_counted)
    recall = _mean(cosine.amax(dim=1), reference_counted)
    return precision, recall, 2 * precision * recall / (precision + recall)


def _mean(best: torch.Tensor, counted: torch.Tensor) -> torch.Tensor:
    return best.masked_fill(~counted, 0.0).sum(dim=1) / counted.sum(dim=1)

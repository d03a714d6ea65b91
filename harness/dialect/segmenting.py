"""Many pairs cut into context and continuation: in batches, and each only once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from platformdirs import user_cache_dir
from tqdm import tqdm

from sociolect.generators.dialect.pairs import DialectPair, Segmented
from sociolect.generators.dialect.places import Place, Rules
from sociolect.generators.dialect.segmentation import (
    Prepared,
    finish,
    prepare,
    sae_boundary,
    word_texts,
)
from sociolect.generators.installed import installed
from sociolect.harness.dialect.alignment import (
    ALIGNER,
    THRESHOLD,
    WordAligner,
    check_layer,
    check_threshold,
)
from sociolect.harness.dialect.encoders import ENCODER, SentenceEncoder
from sociolect.harness.dialect.model_files import ModelFiles, find_model, layers_of
from sociolect.harness.dialect.segment_store import Outcome, SegmentStore, check_folder, text_key

ALGORITHM_VERSION = 2
"""Raised when the same models would give another boundary."""
_PACKAGES = ("torch", "transformers", "sentence-transformers", "tokenizers")
_CHUNK_CHARACTERS = 150_000
"""Encoded between two looks at the disk: some seconds of work on a CPU."""


@dataclass(frozen=True, slots=True)
class SegmentSettings:
    """What decides the boundaries of given texts.

    Attributes:
        encoder: Folder or Hub name of a model of sentence-transformers.
        aligner: Folder or Hub name of an encoder of transformers.
        encoder_revision: On the Hub; empty for the default branch.
        aligner_revision: The same.
        rules: ρ, γ and limits.
        layer: Of the aligner; see `WordAligner`.
        threshold: Of the aligner.
        device: As torch names it; empty for a GPU if there is one, else the CPU.

    Raises:
        InvalidInputError: The threshold is no probability.
    """

    encoder: str = ENCODER
    aligner: str = ALIGNER
    encoder_revision: str = ""
    aligner_revision: str = ""
    rules: Rules = field(default_factory=Rules)
    layer: int | None = None
    threshold: float = THRESHOLD
    device: str = ""

    def __post_init__(self) -> None:
        check_threshold(self.threshold)

    def record(self, encoder: ModelFiles, aligner: ModelFiles) -> dict[str, Any]:
        """Settings and models, ready for JSON."""
        return {
            "algorithm_version": ALGORITHM_VERSION,
            **asdict(self.rules),
            "layer": self.layer,
            "threshold": self.threshold,
            "encoder": encoder.record(),
            "aligner": aligner.record(),
        }


def segment_all(
    pairs: Sequence[DialectPair],
    settings: SegmentSettings | None = None,
    cache: Path | None = None,
    progress: bool = True,
) -> list[Segmented]:
    """Cut pairs into context and continuation; see `PairSegmenter`."""
    return PairSegmenter(settings or SegmentSettings(), cache, progress).run(pairs)


class PairSegmenter:
    """Cuts pairs into context and continuation (dialect paper, App. B.1).

    What is finished is kept, so a run that was stopped goes on where it was. Numbers are computed
    in float32; places that differ by rounding alone count as equal, so which texts are computed
    together does not decide.

    Args:
        choice: Models and rules.
        cache: Folder that finished pairs are kept in; None for the user cache.
        progress: Whether a bar shows the time left.

    Attributes:
        settings: Rules, and models with the hashes of their files, ready for a manifest.

    Raises:
        MissingToolError: A model is not here.
        ModelError: A folder holds no model.
        InvalidInputError: The aligner has no such layer.
        ResultsError: The cache cannot be written.
    """

    def __init__(
        self, choice: SegmentSettings, cache: Path | None = None, progress: bool = True
    ) -> None:
        folder = cache or Path(user_cache_dir("sociolect")) / "segments"
        check_folder(folder)
        encoder = find_model(choice.encoder, choice.encoder_revision)
        aligner = find_model(choice.aligner, choice.aligner_revision)
        if choice.layer is not None:
            check_layer(choice.layer, layers_of(aligner), aligner.name)
        self.settings = choice.record(encoder, aligner)
        self._store = SegmentStore(folder, {**self.settings, "versions": installed(_PACKAGES)})
        self._work = _Work(choice, encoder, aligner)
        self._progress = progress

    def run(self, pairs: Sequence[DialectPair]) -> list[Segmented]:
        """Pairs with their boundaries, or with the reason why they have none, in their order.

        Args:
            pairs: Any number; equal texts are done once.

        Raises:
            MissingToolError: A package is not installed.
            ModelError: A model cannot be loaded.
            ResultsError: The cache cannot be read or written.
        """
        known = self._store.read()
        wanted = {text_key(pair): pair for pair in pairs}
        todo = {key: pair for key, pair in wanted.items() if key not in known}
        with self._bar(len(wanted), len(todo)) as bar:
            for outcomes in self._work.outcomes(todo):
                self._store.add(outcomes)
                known |= outcomes
                bar.update(len(outcomes))
        return [Segmented(pair, *known[text_key(pair)]) for pair in pairs]

    def _bar(self, wanted: int, todo: int) -> tqdm[Any]:
        return tqdm(
            total=wanted,
            initial=wanted - todo,  # found, and no part of the speed
            desc="segmenting",
            unit="pair",
            dynamic_ncols=True,
            disable=not (self._progress and todo),
        )


def counts(pairs: Sequence[Segmented]) -> dict[str, int]:
    """How many pairs are segmented, and how many are not by reason, most frequent first."""
    reasons = Counter(one.reason for one in pairs if one.boundaries is None)
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    return {"segmented": len(pairs) - reasons.total(), **dict(ordered)}


class _Work:
    """Boundaries of pairs; the models are loaded when the first pair needs them."""

    def __init__(self, settings: SegmentSettings, encoder: ModelFiles, aligner: ModelFiles) -> None:
        self._settings, self._files = settings, (encoder, aligner)
        self._encoder: SentenceEncoder | None = None
        self._aligner: WordAligner | None = None

    def outcomes(self, todo: Mapping[str, DialectPair]) -> Iterator[dict[str, Outcome]]:
        """Outcomes by key, some at a time."""
        for chunk in _chunks((k, prepare(p, self._settings.rules)) for k, p in todo.items()):
            asked = {k: one for k, one in chunk.items() if not one.reason}
            found = self._asked(asked) if asked else {}
            yield {
                k: found[k] if k in found else Outcome(None, one.reason) for k, one in chunk.items()
            }

    def _asked(self, chunk: Mapping[str, Prepared]) -> dict[str, Outcome]:
        found = {}
        places: dict[str, Place] = {}
        for key, (place, reason) in self._boundaries(chunk).items():
            if place is None:
                found[key] = Outcome(None, reason)
            else:
                places[key] = place
        aligned = [(word_texts(chunk[k].sae), word_texts(chunk[k].aae)) for k in places]
        links = self._align().align_all(aligned)
        for (key, place), linked in zip(places.items(), links, strict=True):
            done = finish(chunk[key], place, linked, self._settings.rules)
            found[key] = Outcome(done.boundaries, done.reason)
        return found

    def _boundaries(self, chunk: Mapping[str, Prepared]) -> dict[str, tuple[Place | None, str]]:
        """Place in the SAE text, or the reason why there is none."""
        vectors = self._encode()([text for one in chunk.values() for text in one.segments])
        found, start = {}, 0
        for key, one in chunk.items():
            end = start + 2 * len(one.sae_places)
            found[key] = sae_boundary(one, vectors[start:end], self._settings.rules)
            start = end
        return found

    def _encode(self) -> SentenceEncoder:
        if self._encoder is None:
            self._encoder = SentenceEncoder(self._files[0], self._settings.device)
        return self._encoder

    def _align(self) -> WordAligner:
        if self._aligner is None:
            self._aligner = WordAligner(
                self._files[1],
                layer=self._settings.layer,
                threshold=self._settings.threshold,
                device=self._settings.device,
            )
        return self._aligner


def _chunks(prepared: Iterator[tuple[str, Prepared]]) -> Iterator[dict[str, Prepared]]:
    """Pairs in their order, together as many as have segments of `_CHUNK_CHARACTERS`."""
    chunk: dict[str, Prepared] = {}
    characters = 0
    for key, one in prepared:
        chunk[key] = one
        characters += len(one.sae_places) * len(one.pair.sae)  # L and R are the text again
        if characters >= _CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = {}, 0
    if chunk:
        yield chunk

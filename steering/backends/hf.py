"""`--model sociolect-hf`: lm_eval's `hf` with runs that resume, seeds per item, and steering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import torch
from lm_eval.models.huggingface import HFLM

from sociolect.generators.errors import ModelError
from sociolect.steering.backends.answers import Answered, AnswerStore
from sociolect.steering.backends.chunked import (
    Chunked,
    Runner,
    answers_folder,
    whole_number,
)
from sociolect.steering.backends.identity import model_identity
from sociolect.steering.backends.progress import Progress
from sociolect.steering.backends.prompt_cache import given_to_generate, shared_prompts
from sociolect.steering.backends.requests import Chunk
from sociolect.steering.backends.shared_contexts import (
    METHOD,
    Request,
    Score,
    SharedContexts,
    Sizes,
    can_share,
)
from sociolect.steering.backends.shared_models import shared
from sociolect.steering.backends.steered import steering_arguments, vectors_to_add
from sociolect.steering.hooks import decoder_blocks, steering
from sociolect.steering.of_model import of_model

DEFAULT_CHUNK = 64
DEFAULT_SEED = 1234


class SociolectHF(Chunked, HFLM):  # type: ignore[misc]
    """lm_eval's `HFLM` that answers in chunks and keeps what it has answered.

    transformers draws all samples of a batch from one generator. It is seeded for every chunk
    from the seeds of the prompts in it, so the answers of a chunk do not depend on what was
    asked before. A context that several continuations share is computed once for them
    (`shared_contexts`).

    Steering vectors are attached before any prompt is read, and only while this object computes:
    several may use one model (`sharing_models`).

    Args:
        pretrained: Path or Hub name.
        answers: Folder for finished chunks; None or `none` keeps nothing.
        chunk: Prompts a chunk.
        seed: Run seed.
        **arguments: Of steering (`steering_arguments`), and of `HFLM`: `peft`, `dtype`,
            `batch_size`, `device` …

    Raises:
        InvalidInputError: `answers`, `chunk`, `seed` or arguments of steering cannot be used.
        ModelError: The steering vector cannot be read, or does not belong to this model.
    """

    def __init__(
        self,
        pretrained: str,
        *,
        answers: str | None = None,
        chunk: int | str = DEFAULT_CHUNK,
        seed: int | str = DEFAULT_SEED,
        **arguments: Any,
    ) -> None:
        folder, size = answers_folder(answers), whole_number("chunk", chunk)
        run_seed = whole_number("seed", seed, least=0)
        self._steering = steering_arguments(arguments)
        self._added: dict[int, torch.Tensor] = {}
        super().__init__(pretrained=pretrained, **arguments)
        with self._steered():  # says now, not after the first prompts, what does not fit
            pass
        if self.batch_size == "auto":  # else it would be sought again for every chunk
            self.batch_size_per_gpu = self._detect_batch_size()
        given = {"pretrained": pretrained, "seed": run_seed, **arguments}
        if self._steering:
            given |= self._steering.model_arguments()
        identity = model_identity("sociolect-hf", given) | self._runtime()
        self.runner = Runner(
            run_seed=run_seed,
            size=size,
            store=AnswerStore(folder, identity) if folder else None,
            hidden=self.rank != 0,
        )

    def _create_tokenizer(self, pretrained: str, *named: Any, **given: Any) -> None:
        def load() -> Any:
            super(SociolectHF, self)._create_tokenizer(pretrained, *named, **given)
            return self.tokenizer

        read = {"pretrained": pretrained, "tokenizer": str(named), **given}
        self.tokenizer = shared("tokenizer", read, load)

    def _create_model(self, pretrained: str, **given: Any) -> None:
        def load() -> Any:
            super(SociolectHF, self)._create_model(pretrained, **given)
            return self._model

        is_here = Path(pretrained).is_dir()
        self._added = self._vectors(pretrained, given, read=is_here)
        tokens = len(self.tokenizer)  # an adapter with more of them changes the embeddings
        read = {"pretrained": pretrained, **given, "device": self.device, "tokens": tokens}
        self._model = shared(f"{self.backend} model", read, load)
        if not is_here:
            self._added = self._vectors(pretrained, given, read=True)

    def _vectors(
        self, pretrained: str, given: Mapping[str, Any], *, read: bool
    ) -> dict[int, torch.Tensor]:
        """What is added to which block; weights are only compared once their files are here."""
        if self._steering is None:
            return {}
        if self.backend != "causal":
            raise ModelError(f"{pretrained}: only causal models are steered")
        own = of_model(
            pretrained, self.config, revision=given["revision"], subfolder=given["subfolder"]
        )
        unchecked = self._steering.unchecked or not read
        return vectors_to_add(replace(self._steering, unchecked=unchecked), own)

    def _steered(self) -> AbstractContextManager[None]:
        """Until the end of the `with` block, the model is steered as this object is to steer it."""
        if not self._added or self._steering is None:
            return nullcontext()
        return steering(decoder_blocks(self.model, self._steering.blocks), self._added)

    def _runtime(self) -> dict[str, Any]:
        cuda = self.device.type == "cuda"
        return {
            "device": torch.cuda.get_device_name(self.device) if cuda else str(self.device),
            "threads": None if cuda else torch.get_num_threads(),
            "batch_size": self.batch_size,
            "commit": getattr(self.model.config, "_commit_hash", None),
            "scoring": METHOD if self._shares_contexts() else "lm_eval",
        }

    def _generate(self, chunk: Chunk, bar: Progress) -> Answered:
        # All greedy answers to a prompt are one.
        times = [1 if p.is_greedy else p.repeats for p in chunk.prompts]
        asked = [p.instance for p, n in zip(chunk.prompts, times, strict=True) for _ in range(n)]
        with torch.random.fork_rng():
            torch.manual_seed(_chunk_seed(chunk))
            # Not by way of Chunked, which leads here.
            texts = iter(super(Chunked, self).generate_until(asked, disable_tqdm=True))
        made = [[next(texts) for _ in range(n)] for n in times]
        flat = [text for own in made for text in own]
        tokens = sum(map(len, self.tokenizer(flat).input_ids))
        whole = [own * (p.repeats // len(own)) for own, p in zip(made, chunk.prompts, strict=True)]
        return Answered(whole, tokens)

    def _model_call(self, *given: Any, **named: Any) -> torch.Tensor:
        with self._steered():
            logits: torch.Tensor = super()._model_call(*given, **named)
        return logits

    def _model_generate(
        self, context: torch.Tensor, max_length: int, stop: list[str], **settings: Any
    ) -> torch.Tensor:
        """As lm_eval's; the prompt of several samples is read once for all of them."""
        mask = settings.get("attention_mask")
        with self._steered():  # before the prompt is read: its keys and values are steered as well
            cache = None if mask is None else shared_prompts(self.model, context, mask)
            found: torch.Tensor = super()._model_generate(
                context, max_length, stop, **settings, **given_to_generate(cache)
            )
        return found

    def _shares_contexts(self) -> bool:
        return bool(self.backend == "causal") and can_share(self.model)

    def _loglikelihood_tokens(
        self,
        requests: Sequence[Request],
        disable_tqdm: bool = False,
        override_bs: int | None = None,
    ) -> list[Score]:
        """As lm_eval's; a context that continuations share is computed once.

        Parts of long texts (`override_bs`) share nothing.
        """
        if override_bs is not None or not self._shares_contexts():
            lm_evals: list[Score] = super()._loglikelihood_tokens(
                requests, disable_tqdm=disable_tqdm, override_bs=override_bs
            )
            return lm_evals
        contexts = SharedContexts(
            self.model,
            Sizes(int(self.batch_size), self.max_length),
            self.softmax_dtype,
            self._cast(),
        )
        with self._steered():
            found = contexts.score(requests)
        for (texts, _, _), score in zip(requests, found, strict=True):
            self.cache_hook.add_partial("loglikelihood", texts, score)
        return found

    def _cast(self) -> torch.autocast:
        """The precision in which lm_eval calls the model."""
        dtype = self.mixed_precision_dtype
        return torch.autocast(self.device.type, dtype=dtype, enabled=dtype is not None)


def _chunk_seed(chunk: Chunk) -> int:
    text = ",".join(str(prompt.seed) for prompt in chunk.prompts)
    return int.from_bytes(blake2b(text.encode(), digest_size=7).digest(), "big")

"""`--model sociolect-vllm`: lm_eval's `vllm` with seeds per item and runs that resume.

lm_eval's class sends every repeat as a request of its own, seeded by the engine: what a prompt
is answered depends on everything that was asked before. Here a prompt is one request with n
samples and a seed that is derived from the run seed, benchmark, item and option order.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from lm_eval.models.utils import maybe_truncate, postprocess_generated_text
from lm_eval.models.vllm_causallms import VLLM
from vllm import SamplingParams, TokensPrompt

from sociolect.generators.errors import InvalidInputError
from sociolect.steering.backends.answers import Answered, AnswerStore
from sociolect.steering.backends.chunked import (
    Chunked,
    Runner,
    answers_folder,
    whole_number,
)
from sociolect.steering.backends.identity import model_identity
from sociolect.steering.backends.progress import Progress
from sociolect.steering.backends.requests import Chunk, Prompt
from sociolect.steering.backends.steered import steering_arguments
from sociolect.steering.backends.vllm_arguments import (
    added_to,
    cpu_arguments,
    lora_arguments,
    require_invariance,
    steered_arguments,
)
from sociolect.steering.backends.vllm_worker import steer

CPU_CHUNK = 64
WAVES = 4
"""Prompts a chunk, per sequence that the engine computes at once: each chunk ends with a phase
in which fewer and fewer sequences run, so a chunk should hold many times what runs at once."""
LARGEST_CHUNK = 4096
DEFAULT_SEED = 1234
_WITHOUT_EFFECT = ("batch_size", "max_batch_size", "device")
"""What lm_eval hands to every model; what the engine makes of them is among the runtime facts."""


class SociolectVLLM(Chunked, VLLM):  # type: ignore[misc]
    """lm_eval's `VLLM` that answers in chunks, with one request a prompt.

    Args:
        pretrained: Path or Hub name.
        answers: Folder for finished chunks; None or `none` keeps nothing.
        chunk: Prompts a chunk. Default: 64 on a CPU, elsewhere four times the sequences that
            the engine computes at once, 4096 at most.
        batch_invariant: Use vLLM's kernels whose results do not depend on the batch (on the
            GPUs and attention backends for which it has them).
        seed: Run seed.
        lora_local_path: Adapter folder; its rank sets `max_lora_rank`.
        **arguments: Of lm_eval's `VLLM` and of `vllm.LLM`; and `steering`, `beta`, `beta_scale`,
            `steering_blocks`, `steering_unchecked` (`SteeringArguments`). A steered engine runs
            in eager mode.

    Raises:
        InvalidInputError: `answers`, `chunk`, `seed`, `data_parallel_size` or what is said of
            steering cannot be used.
        ModelError: The adapter cannot be read, or its rank is too high for vLLM; the steering
            vector cannot be read, or it is another model's.
    """

    def __init__(
        self,
        pretrained: str,
        *,
        answers: str | None = None,
        chunk: int | str | None = None,
        batch_invariant: bool = False,
        seed: int | str = DEFAULT_SEED,
        lora_local_path: str | None = None,
        **arguments: Any,
    ) -> None:
        folder = answers_folder(answers)
        size = None if chunk is None else whole_number("chunk", chunk)
        run_seed = whole_number("seed", seed, least=0)
        if str(arguments.get("data_parallel_size", 1)) != "1":
            raise InvalidInputError(
                "sociolect-vllm runs one engine. For several GPUs start the same command once a "
                "GPU (CUDA_VISIBLE_DEVICES): processes with one answers folder share the chunks."
            )
        if batch_invariant:
            require_invariance()
        steering = steering_arguments(arguments)
        of_engine = steered_arguments(arguments) if steering else {}
        if steering and Path(pretrained).is_dir():  # a wrong vector is refused before vLLM starts
            added_to(steering, pretrained, arguments)
        given = {
            "pretrained": pretrained,
            "seed": run_seed,
            "batch_invariant": bool(batch_invariant),
            "lora_local_path": lora_local_path,
            **{k: v for k, v in arguments.items() if k not in _WITHOUT_EFFECT},
            **(steering.model_arguments() if steering else {}),
        }
        told = cpu_arguments() | arguments | of_engine | lora_arguments(lora_local_path, given)
        super().__init__(
            pretrained=pretrained, seed=run_seed, lora_local_path=lora_local_path, **told
        )
        self._steering = steering
        self._added = added_to(steering, pretrained, arguments) if steering else {}
        self._steer()  # says now, not with the first prompts, what does not fit
        self.batch_size = "auto"  # lm_eval's default of 1 would score one text at a time
        identity = model_identity("sociolect-vllm", given) | self._runtime()
        self._bar: Progress | None = None
        self.runner = Runner(
            run_seed=run_seed,
            size=size or self._usual_chunk(),
            store=AnswerStore(folder, identity) if folder else None,
        )

    def _steer(self) -> None:
        """Steer the engine as this object is to steer it; others may use the same engine."""
        if self._steering:
            steer(self.model, self._added, self._steering.blocks)

    def _engine_config(self) -> Any:
        return self.model.llm_engine.vllm_config

    def _on_cpu(self) -> bool:
        return str(self._engine_config().device_config.device_type) == "cpu"

    def _usual_chunk(self) -> int:
        if self._on_cpu():
            return CPU_CHUNK
        at_once = int(self._engine_config().scheduler_config.max_num_seqs)
        return min(WAVES * at_once, LARGEST_CHUNK)

    def _runtime(self) -> dict[str, Any]:
        cuda = not self._on_cpu() and torch.cuda.is_available()
        return {
            "device": torch.cuda.get_device_name() if cuda else "cpu",
            "threads": None if cuda else torch.get_num_threads(),
            "max_num_seqs": int(self._engine_config().scheduler_config.max_num_seqs),
            "commit": getattr(self._config, "_commit_hash", None),
        }

    def _generate(self, chunk: Chunk, bar: Progress) -> Answered:
        encoded = self.tok_encode([prompt.arguments[0] for prompt in chunk.prompts])
        ready = [
            self._request(prompt, tokens)
            for prompt, tokens in zip(chunk.prompts, encoded, strict=True)
        ]
        self._bar = bar
        outputs = self._model_generate(
            [tokens for tokens, _, _ in ready],
            generate=True,
            sampling_params=[params for _, params, _ in ready],
        )
        made, tokens = [], 0
        for output, prompt, (_, _, until) in zip(outputs, chunk.prompts, ready, strict=True):
            tokens += sum(len(one.token_ids) for one in output.outputs)
            texts = [
                postprocess_generated_text(one.text, until, self.think_end_token)
                for one in output.outputs
            ]
            made.append(texts if len(texts) == prompt.repeats else texts * prompt.repeats)
        return Answered(made, tokens)

    def _request(
        self, prompt: Prompt, tokens: list[int]
    ) -> tuple[list[int], SamplingParams, list[str]]:
        """Prompt tokens, sampling parameters and stop strings of one prompt."""
        eos = self.tokenizer.decode(self.eot_token_id) or self.tokenizer.eos_token
        kwargs, until, length = self.modify_gen_kwargs(
            prompt.arguments[1], eos=eos, default_max_gen_toks=self.max_gen_toks
        )
        if "seed" in kwargs or "n" in kwargs:
            raise InvalidInputError(
                "generation settings must not hold `seed` or `n`: sociolect-vllm derives a seed "
                "for every prompt from --model_args seed=N, and the task says how many samples."
            )
        tokens, length = maybe_truncate(
            tokens,
            max_gen_toks=length,
            max_model_len=self.max_length,
            side=self.truncation_side,
            verbose=True,
        )
        greedy = not kwargs.get("temperature")
        # A thinking model may write the stop strings of a task before it answers; they are
        # looked for after its thoughts are cut off.
        stop = [one for one in until if one == eos] if self.think_end_token else until
        params = SamplingParams(
            max_tokens=length,
            stop=stop,
            n=1 if greedy else prompt.repeats,
            seed=None if greedy else prompt.seed,
            **kwargs,
        )
        return tokens, params, until

    def _score(self, chunk: Chunk, bar: Progress) -> Answered:
        self._bar = bar
        return super()._score(chunk, bar)

    def _score_whole(self, chunk: Chunk, bar: Progress) -> Answered:
        self._bar = None  # one text is several engine requests
        return super()._score_whole(chunk, bar)

    def _model_generate(
        self, requests: list[list[int]], generate: bool = False, sampling_params: Any = None
    ) -> list[Any]:
        """As lm_eval's, with our bar; and nothing cached of what was asked before.

        Keys and values of a shared beginning that another batch computed differ in the last bits
        from those that this one would compute, and a resumed run has no earlier batches.
        """
        self._steer()
        self.model.reset_prefix_cache()
        params = sampling_params or SamplingParams(
            temperature=0, prompt_logprobs=1, max_tokens=1, detokenize=False
        )
        outputs: list[Any] = self.model.generate(
            [TokensPrompt(prompt_token_ids=tokens) for tokens in requests],
            sampling_params=params,
            use_tqdm=self._bar.engine_bar if self._bar else False,
            lora_request=self.lora_request,
        )
        return outputs

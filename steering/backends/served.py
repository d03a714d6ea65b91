"""`--model local-completions` and its relatives: judges behind an OpenAI-compatible server.

lm_eval's classes give up after three attempts, send every sample of a prompt with one seed, take an
answer that cannot be read for an empty one, lose sampled answers when a run stops, and cut prompts
to 2,047 tokens unless told otherwise. The classes here make the same requests and do none of it.
"""

from __future__ import annotations

import copy
import logging
import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any

from lm_eval.models.openai_completions import (
    LocalChatCompletion,
    LocalCompletionsAPI,
    OpenAIChatCompletion,
    OpenAICompletionsAPI,
)

from sociolect.generators.errors import ModelError
from sociolect.steering.backends.answers import Answered, AnswerStore, digest
from sociolect.steering.backends.chunked import Chunked, Runner, answers_folder, whole_number
from sociolect.steering.backends.identity import model_identity
from sociolect.steering.backends.journal import Journal
from sociolect.steering.backends.progress import Progress
from sociolect.steering.backends.requests import Chunk, Prompt
from sociolect.steering.backends.served_answers import (
    Body,
    as_lm_eval_reads,
    ends_at_limit,
    holds_text,
    only_choice,
)
from sociolect.steering.backends.served_calls import (
    ATTEMPTS,
    Caller,
    PassingError,
    PromptTooLongError,
    Server,
    StoppedError,
)

DEFAULT_CHUNK = 64
DEFAULT_SEED = 1234
_SEEDS = 2**31
"""Some servers take seeds of 31 bits only."""
_LM_EVAL_LENGTH = 2048
_TOO_LONG, _CUT_OFF = "prompt too long", "cut off"
_KEY = "OPENAI_API_KEY"
_NOT_OURS = ("batch_size", "max_batch_size", "device")

_logger = logging.getLogger("lm_eval")

Call = tuple[str, Callable[[], Any]]
"""The key of a request, and what makes it."""


class Served(Chunked):
    """What the four classes share; goes before lm_eval's class.

    Args:
        base_url: Of the endpoint.
        answers: Folder for answers; None or `none` keeps nothing.
        chunk: Prompts a chunk.
        seed: Run seed; of every sample a seed is derived from it.
        num_concurrent: Requests at a time.
        max_retries: Attempts a request.
        max_length: Tokens of prompt and answer together. Default: what the server says of
            itself (`max_model_len` of `/v1/models`), else unknown.
        timeout: Seconds until a request counts as failed.
        **arguments: Of lm_eval's class: `model`, `tokenizer`, `tokenizer_backend` …

    Attributes:
        context: Tokens that prompt and answer may have together; None if nobody says.

    Raises:
        InvalidInputError: A number or a folder that cannot be used.
        ModelError: The server cannot be reached, or refuses the key.
    """

    def __init__(
        self,
        *,
        base_url: str | None = None,
        answers: str | None = None,
        chunk: int | str = DEFAULT_CHUNK,
        seed: int | str = DEFAULT_SEED,
        num_concurrent: int | str = 1,
        max_retries: int | str = ATTEMPTS,
        max_length: int | str | None = None,
        timeout: int | str = 300,
        **arguments: Any,
    ) -> None:
        folder, size = answers_folder(answers), whole_number("chunk", chunk)
        run_seed = whole_number("seed", seed, least=0)
        self._threads = whole_number("num_concurrent", num_concurrent)
        attempts = whole_number("max_retries", max_retries)
        seconds = whole_number("timeout", timeout)
        context = None if max_length is None else whole_number("max_length", max_length, 2)
        given = {k: v for k, v in arguments.items() if k not in _NOT_OURS}
        first = Server(base_url or "", _header(given), seconds, _verify(given), attempts)
        listed = _listed_context(Caller(first), str(given.get("model") or given.get("pretrained")))
        self.context = context or listed
        address = {} if base_url is None else {"base_url": base_url}
        base: Any = super()
        base.__init__(**address, max_length=self.context or _LM_EVAL_LENGTH, **given)
        made: Any = self
        known = {**given, "base_url": made.base_url, "seed": run_seed, "max_length": context}
        identity = model_identity(type(self).__name__, known)
        store = AnswerStore(folder, identity) if folder else None
        self.runner = Runner(run_seed=run_seed, size=size, store=store)
        self._journal = Journal(store.folder if store else None)
        self._caller = Caller(
            Server(made.base_url, made.header, seconds, _verify(given), attempts, _kept(store))
        )
        self._empty = 0

    def is_refused(self, arguments: Sequence[Any]) -> bool:
        """Whether the server said that the prompt of this request is too long for the model."""
        return _refused_key(arguments) in self._journal

    def is_cut_off(self, arguments: Sequence[Any], text: str) -> bool:
        """Whether the server said that its limit of tokens ended an answer to this request.

        Args:
            arguments: Prompt and generation settings.
            text: The answer.
        """
        return _cut_off_key(arguments, text) in self._journal

    def _generate(self, chunk: Chunk, bar: Progress) -> Answered:
        counts = [1 if p.is_greedy else p.repeats for p in chunk.prompts]
        calls = [
            self._generation(prompt, number)
            for prompt, count in zip(chunk.prompts, counts, strict=True)
            for number in range(count)
        ]
        found = iter(self._all(calls))
        made = []
        for prompt, count in zip(chunk.prompts, counts, strict=True):
            texts = [next(found) for _ in range(count)]
            made.append(texts if count == prompt.repeats else texts * prompt.repeats)
        return Answered(made, tokens=0)

    def _generation(self, prompt: Prompt, number: int) -> Call:
        """The request for one sample of a prompt."""
        base: Any = self
        context, settings = prompt.arguments[0], copy.deepcopy(dict(prompt.arguments[1]))
        seed = (prompt.seed + number) % _SEEDS

        def ask() -> str:
            encoded = base.tok_encode([context]) if base.tokenized_requests else [context]
            payload = base._create_payload(
                base.create_message(encoded),
                generate=True,
                gen_kwargs=settings,
                seed=seed,
                eos=base.eos_string if base.tokenizer is not None else None,
            )
            if not payload.get("stop"):
                payload.pop("stop", None)
            body = self._caller.post(payload, self._holds_text)
            text = self._text(body)
            if ends_at_limit(body):
                self._journal.add(_cut_off_key(prompt.arguments, text), True)
            return text

        return digest(["generate_until", *prompt.content(), seed]), self._or_empty(
            ask, prompt.arguments, ""
        )

    @property
    def _is_chat(self) -> bool:
        return isinstance(self, LocalChatCompletion)

    def _holds_text(self, body: Body) -> bool:
        return holds_text(body, chat=self._is_chat)

    def _text(self, body: Body) -> str:
        """The text of an answer; one without content is empty."""
        base: Any = self
        body = as_lm_eval_reads(body, chat=self._is_chat)
        text = base.parse_generations([body])[0]
        if not text:
            self._empty += 1
            if self._empty == 1:
                _logger.warning(
                    "an answer without text (finish_reason %s): it counts as unanswered. Where "
                    "the model thinks first, raise --gen_kwargs max_gen_toks (in fable generate "
                    "and dialect translate --max-new-tokens).",
                    body["choices"][0].get("finish_reason"),
                )
        return text or ""

    def _or_empty(self, ask: Callable[[], Any], arguments: Sequence[Any], empty: Any) -> Any:
        """A request whose prompt may turn out to be too long: then the answer is empty."""

        def asked() -> Any:
            try:
                return ask()
            except PromptTooLongError as error:
                self._journal.add(_refused_key(arguments), str(error))
                return empty

        return asked

    def _loglikelihood_tokens(self, requests: Sequence[Any], **_: Any) -> list[tuple[float, bool]]:
        """(Log-likelihood, is greedy) of continuations, tokenised by lm_eval."""
        found = self._all([self._scoring(*request) for request in requests])
        return [(float(score), bool(greedy)) for score, greedy in found]

    def _scoring(self, texts: Any, context: list[int], continuation: list[int]) -> Call:
        base: Any = self

        def ask() -> list[Any]:
            message = base.create_message([context + continuation])
            payload = base._create_payload(message, generate=False)
            body = self._caller.post(payload, lambda found: only_choice(found) is not None)
            return self._score_of(body, len(context), len(continuation))

        key = digest(["loglikelihood", texts, context, continuation])
        return key, self._or_empty(ask, texts or (), [math.nan, False])

    def _score_of(self, body: Body, before: int, own: int) -> list[Any]:
        """The score in an answer, whose tokens must be those that were counted here.

        A server that gets text may put a token in front of it (BOS).
        """
        base: Any = self
        try:
            tokens = len(body["choices"][0]["logprobs"]["token_logprobs"]) - 1
            extra = tokens - before - own
            if extra not in (0, 1):
                raise ModelError(
                    f"{self._caller.server.shown_url} cut a text into {tokens} tokens, the "
                    f"tokenizer here into {before + own}: give the tokenizer of the served model, "
                    f"--model_args tokenizer=DIR.{self._caller.server.kept}"
                )
            ((score, greedy),) = base.parse_logprobs([body], ctxlens=[before + extra])
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(
                f"{self._caller.server.shown_url} gives no log-likelihoods of a prompt (`echo` "
                "with `logprobs`). Use a generation task, the one without _ll (in fable generate "
                "--checker-form reason)."
                f"{self._caller.server.kept}"
            ) from error
        return [float(score), bool(greedy)]

    def _all(self, calls: Sequence[Call]) -> list[Any]:
        """The answers to requests, `num_concurrent` at a time, each kept as it comes in."""
        self._caller.stopped.clear()
        with ThreadPoolExecutor(self._threads) as pool:
            futures = [pool.submit(self._answer, call) for call in calls]
            try:
                done, _ = wait(futures, return_when=FIRST_EXCEPTION)
                errors = [e for future in futures if future in done and (e := future.exception())]
                if errors:
                    raise min(errors, key=lambda error: isinstance(error, StoppedError))
            except BaseException:
                self._caller.stopped.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
            return [future.result() for future in futures]

    def _answer(self, call: Call) -> Any:
        key, ask = call
        if key not in self._journal:
            try:
                self._journal.add(key, ask())
            except BaseException:
                self._caller.stopped.set()
                raise
        return self._journal[key]


class ServedCompletions(Served, LocalCompletionsAPI):  # type: ignore[misc]
    """`local-completions`: text continued, and options scored."""


class ServedChat(Served, LocalChatCompletion):  # type: ignore[misc]
    """`local-chat-completions`: answers generated only."""


class OpenAICompletions(Served, OpenAICompletionsAPI):  # type: ignore[misc]
    """`openai-completions`."""


class OpenAIChat(Served, OpenAIChatCompletion):  # type: ignore[misc]
    """`openai-chat-completions`."""


def _listed_context(caller: Caller, model: str) -> int | None:
    """What `/v1/models` says of the context of a model; None if it says nothing.

    Raises:
        ModelError: No server, or it refuses the key.
    """
    url = caller.server.url
    for end in ("/chat/completions", "/completions"):
        if url.endswith(end):
            break
    else:
        return None
    try:
        body = caller.get(f"{url.removesuffix(end)}/models")
    except ModelError as error:
        cause = error.__cause__
        if isinstance(cause, PassingError) and cause.status is None:
            raise
        return None  # many servers have no such list; the first request will tell
    data = body.get("data")
    entries = [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []
    lengths = [one.get("max_model_len") for one in entries if one.get("id") == model]
    return next((n for n in lengths if isinstance(n, int) and n > 1), None)


def _header(arguments: dict[str, Any]) -> dict[str, str]:
    given = arguments.get("header")
    return dict(given) if given else {"Authorization": f"Bearer {os.environ.get(_KEY, '')}"}


def _verify(arguments: dict[str, Any]) -> bool | str:
    if str(arguments.get("verify_certificate", True)).lower() == "false":
        return False
    return str(arguments["ca_cert_path"]) if arguments.get("ca_cert_path") else True


def _kept(store: AnswerStore | None) -> str:
    if store is None:
        return (
            "\n  No answer was kept: with --output_path FOLDER, or --model_args answers=FOLDER, a "
            "run goes on where it stopped."
        )
    return (
        f"\n  Every answer so far is kept in {store.folder}: the same command asks only for the "
        "others."
    )


def _refused_key(arguments: Sequence[Any]) -> str:
    context = arguments[0] if arguments else ""
    return digest([_TOO_LONG, context, arguments[1] if len(arguments) > 1 else None])


def _cut_off_key(arguments: Sequence[Any], text: str) -> str:
    """Of an answer, not of its request: samples of one prompt end in their own ways."""
    return digest([_CUT_OFF, arguments[0], dict(arguments[1]), text])

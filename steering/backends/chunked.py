"""What our backends add to lm_eval's: chunks of fixed composition, kept answers, one bar.

In half precision the answer to a prompt depends a little on the prompts that it is computed
with. So a run is cut into chunks that are always the same, a finished one is kept, and an
unfinished one is done again as a whole: a run that was killed ends with the answers of one that
was not.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError
from sociolect.steering.backends.answers import Answered, AnswerStore
from sociolect.steering.backends.progress import Progress
from sociolect.steering.backends.requests import Chunk, distinct, in_chunks

_logger = logging.getLogger("lm_eval")

Work = Callable[[Chunk, Progress], Answered]


def whole_number(name: str, value: object, least: int = 1) -> int:
    """A model argument as a whole number.

    Raises:
        InvalidInputError: It is none, or below `least`.
    """
    try:
        number = int(str(value))
    except ValueError:
        number = least - 1
    if number < least or isinstance(value, bool):
        raise InvalidInputError(f"{name}={value} must be a whole number, {least} or more")
    return number


def answers_folder(value: object) -> Path | None:
    """The argument `answers` as a folder; None for nothing, an empty name, `none` or `False`.

    Raises:
        InvalidInputError: It is a file, or `True`.
    """
    text = "" if value is None else str(value)
    if text.lower() in ("", "none", "false"):
        return None
    if text.lower() == "true":
        raise InvalidInputError(f"answers={text} names no folder; give its name, or none")
    path = Path(text).expanduser()
    if path.exists() and not path.is_dir():
        raise InvalidInputError(f"answers={text} is a file; name a folder")
    return path


class Runner:
    """Answers the requests of one model, chunk by chunk.

    Args:
        run_seed: Seeds of prompts are derived from it.
        size: Prompts a chunk.
        store: Where answers are kept; None keeps nothing.
        hidden: Show no progress.
    """

    def __init__(
        self, *, run_seed: int, size: int, store: AnswerStore | None, hidden: bool = False
    ) -> None:
        self.run_seed, self.size, self.store, self.hidden = run_seed, size, store, hidden

    def run(self, method: str, requests: Sequence[Any], work: Work) -> list[Any]:
        """One answer a request, in their order.

        Args:
            method: lm_eval's name of the request.
            requests: lm_eval's requests; the same one K times asks for K answers.
            work: Answers one chunk.
        """
        prompts, where = distinct(requests, self.run_seed)
        chunks = in_chunks(prompts, self.size)
        answers: dict[int, list[Any]] = {}
        with Progress(len(requests), method, hidden=self.hidden) as bar:
            for index, made in self._answered(method, chunks, work, bar):
                for prompt, own in zip(chunks[index].prompts, made, strict=True):
                    answers[id(prompt)] = own
        taken = [0] * len(prompts)
        found = []
        for at in where:
            found.append(answers[id(prompts[at])][taken[at]])
            taken[at] += 1
        return found

    def _answered(
        self, method: str, chunks: Sequence[Chunk], work: Work, bar: Progress
    ) -> Iterator[tuple[int, list[list[Any]]]]:
        def compute(chunk: Chunk) -> Answered:
            made = work(chunk, bar)
            bar.finished(chunk.answers, made.tokens)
            return made

        if self.store is None:
            for index, chunk in enumerate(chunks):
                yield index, compute(chunk).answers
            return
        if done := self.store.finished(method, chunks):
            _logger.info(
                "%s: %d of %d chunks are finished (%s).",
                method,
                done,
                len(chunks),
                self.store.folder,
            )
        for index, answers, fresh in self.store.answer(method, chunks, compute):
            if not fresh:
                bar.found(chunks[index].answers)
            yield index, answers


class Chunked(ABC):
    """lm_eval's three requests, answered in chunks; goes before the class that answers them.

    Attributes:
        runner: Made by the subclass once its model is loaded.
    """

    runner: Runner

    def generate_until(self, requests: Sequence[Any], disable_tqdm: bool = False) -> list[str]:
        """Generated texts, one a request."""
        return self.runner.run("generate_until", requests, self._generate)

    def loglikelihood(
        self, requests: Sequence[Any], disable_tqdm: bool = False
    ) -> list[tuple[float, bool]]:
        """(Log-likelihood, is greedy) of every continuation."""
        found = self.runner.run("loglikelihood", requests, self._score)
        return [(float(score), bool(greedy)) for score, greedy in found]

    def loglikelihood_rolling(
        self, requests: Sequence[Any], disable_tqdm: bool = False
    ) -> list[float]:
        """Log-likelihood of every text."""
        return self.runner.run("loglikelihood_rolling", requests, self._score_whole)

    @abstractmethod
    def _generate(self, chunk: Chunk, bar: Progress) -> Answered:
        """The samples of a chunk."""

    def _score(self, chunk: Chunk, bar: Progress) -> Answered:
        base: Any = super()
        found = base.loglikelihood(_instances(chunk), disable_tqdm=True)
        return _repeated([[float(score), bool(greedy)] for score, greedy in found], chunk)

    def _score_whole(self, chunk: Chunk, bar: Progress) -> Answered:
        base: Any = super()
        found = base.loglikelihood_rolling(_instances(chunk), disable_tqdm=True)
        return _repeated([float(score) for score in found], chunk)


def _instances(chunk: Chunk) -> list[Any]:
    """lm_eval's requests of the prompts, one each."""
    return [prompt.instance for prompt in chunk.prompts]


def _repeated(scores: Sequence[Any], chunk: Chunk) -> Answered:
    """One score for every repeat of a prompt: scoring again would change nothing."""
    kept = [[score] * p.repeats for score, p in zip(scores, chunk.prompts, strict=True)]
    return Answered(kept, tokens=0)

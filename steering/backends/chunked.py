"""What our backends add to lm_eval's: chunks of fixed composition, kept answers, one bar.

In half precision the answer to a prompt depends a little on the prompts that it is computed
with. So a run is cut into chunks that are always the same, a finished one is kept, and an
unfinished one is done again as a whole: a run that was killed ends with the answers of one that
was not.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError
from sociolect.steering.backends.answers import Answered, AnswerStore
from sociolect.steering.backends.progress import Progress
from sociolect.steering.backends.requests import Chunk, Prompt, distinct, in_chunks

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


def pairs(answers: Sequence[tuple[float, bool]], chunk: Chunk) -> Answered:
    """Log-likelihoods in the form in which they are kept; scoring again would change nothing."""
    kept = [
        [[float(score), bool(greedy)]] * prompt.repeats
        for (score, greedy), prompt in zip(answers, chunk.prompts, strict=True)
    ]
    return Answered(kept, tokens=0)


def as_pairs(found: Sequence[Any]) -> list[tuple[float, bool]]:
    """Kept log-likelihoods as lm_eval wants them."""
    return [(float(score), bool(greedy)) for score, greedy in found]


def sums(answers: Sequence[float], chunk: Chunk) -> Answered:
    """Log-likelihoods of whole texts in the form in which they are kept."""
    kept = [
        [float(score)] * prompt.repeats
        for score, prompt in zip(answers, chunk.prompts, strict=True)
    ]
    return Answered(kept, tokens=0)


def instances(prompts: Sequence[Prompt]) -> list[Any]:
    """lm_eval's requests of distinct prompts, one each."""
    return [prompt.instance for prompt in prompts]

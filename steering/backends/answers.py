"""Answers on disk: one file per finished chunk, so that no finished work is done again.

A file is named by a hash of everything that decides its content (model, settings, prompts,
seeds, and which prompts were answered together), written under a temporary name and renamed.
Several processes may share a folder: a lock keeps two from answering the same chunk, and each
reads what the others wrote.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import filelock

from sociolect.generators.errors import ResultsError
from sociolect.steering.backends.requests import Chunk

FORMAT = 1
WAIT_SECONDS = 1.0
"""Between two looks at chunks that other processes are answering."""

Answer = Any
"""A generated text, a (log-likelihood, is greedy) pair, or a log-likelihood."""
Answers = list[list[Answer]]
"""Of a chunk: per prompt one answer a repeat."""

_logger = logging.getLogger("lm_eval")


@dataclass(frozen=True, slots=True)
class Answered:
    """What a model made of a chunk.

    Attributes:
        answers: Per prompt one answer a repeat.
        tokens: Generated or scored.
    """

    answers: Answers
    tokens: int


Compute = Callable[[Chunk], Answered]


class _File(NamedTuple):
    """Where the answers to a chunk lie, and the hash that the file must hold."""

    path: Path
    key: str


def digest(value: Any) -> str:
    """SHA-256 of a value as canonical JSON, 64 hexadecimal digits."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class AnswerStore:
    """The finished chunks of one model in one folder.

    Args:
        folder: Where they are kept; made when the first chunk is finished.
        identity: Everything about the model that changes an answer.
    """

    def __init__(self, folder: Path, identity: Mapping[str, Any]) -> None:
        self._key = digest(identity)
        self._identity = identity
        self._reported: set[Path] = set()
        self.folder = folder / self._key[:12]

    def path(self, method: str, chunk: Chunk) -> Path:
        """The file that holds, or will hold, the answers to a chunk."""
        task = re.sub(r"[^\w.-]", "_", chunk.task)[:80] or "requests"
        return self.folder / f"{task}-{chunk.number:05d}-{self.key(method, chunk)[:16]}.jsonl"

    def key(self, method: str, chunk: Chunk) -> str:
        """A hash of all that decides the answers to a chunk; the file holds it as well."""
        content = [prompt.content() for prompt in chunk.prompts]
        return digest([FORMAT, self._key, method, content])

    def answer(
        self, method: str, chunks: Sequence[Chunk], compute: Compute
    ) -> Iterator[tuple[int, Answers, bool]]:
        """Answer chunks, those that are finished from their files.

        Args:
            method: Name of lm_eval's request.
            chunks: What is asked.
            compute: Asks the model.

        Yields:
            Index of a chunk, its answers, and whether they were computed here. In any order.

        Raises:
            ResultsError: The folder cannot be written.
        """
        files = [_File(self.path(method, chunk), self.key(method, chunk)) for chunk in chunks]
        pending = []
        for index, file in enumerate(files):
            found = self._read(file, chunks[index])
            if found is None:
                pending.append(index)
            else:
                yield index, found, False
        while pending:
            waiting = []
            for index in pending:
                done = self._take(files[index], chunks[index], compute)
                if done is None:
                    waiting.append(index)
                else:
                    yield index, *done
            if len(waiting) == len(pending):
                time.sleep(WAIT_SECONDS)
            pending = waiting

    def finished(self, method: str, chunks: Sequence[Chunk]) -> int:
        """How many of these chunks have a file."""
        return sum(self.path(method, chunk).is_file() for chunk in chunks)

    def _take(self, file: _File, chunk: Chunk, compute: Compute) -> tuple[Answers, bool] | None:
        """Answer a chunk, unless another process is at it (then None)."""
        lock = filelock.FileLock(self._lock(file.path), timeout=0)
        try:
            with lock:
                found = self._read(file, chunk)
                if found is not None:
                    return found, False
                for left in file.path.parent.glob(f".{file.path.name}.*.part"):
                    left.unlink(missing_ok=True)  # of a process that was killed
                began = time.monotonic()
                made = compute(chunk)
                self._write(file, chunk, made, time.monotonic() - began)
                return made.answers, True
        except filelock.Timeout:
            return None

    def _lock(self, path: Path) -> Path:
        try:
            folder = self.folder / ".locks"
            folder.mkdir(parents=True, exist_ok=True)
            note = self.folder / "model.json"
            if not note.exists():
                text = json.dumps(self._identity, indent=2, sort_keys=True, default=str) + "\n"
                _replace(note, text)
        except OSError as error:
            raise _unwritable(self.folder, error) from error
        return folder / f"{path.stem}.lock"

    def _write(self, file: _File, chunk: Chunk, made: Answered, seconds: float) -> None:
        head = {
            "format": FORMAT,
            "key": file.key,
            "task": chunk.task,
            "chunk": chunk.number,
            "prompts": len(chunk.prompts),
            "tokens": made.tokens,
            "seconds": round(seconds, 3),
        }
        lines = [json.dumps(line, ensure_ascii=True) for line in (head, *made.answers)]
        body = "\n".join(lines) + "\n"
        tail = json.dumps({"sha256": sha256(body.encode()).hexdigest()})
        try:
            _replace(file.path, f"{body}{tail}\n")
        except OSError as error:
            raise _unwritable(file.path, error) from error

    def _read(self, file: _File, chunk: Chunk) -> Answers | None:
        """The answers in a file; None if there is none, or a damaged one, which is reported."""
        try:
            text = file.path.read_text("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            return self._damaged(file.path, str(error))
        body, _, tail = text.rstrip("\n").rpartition("\n")
        try:
            wanted = json.loads(tail)["sha256"]
            head, *answers = (json.loads(line) for line in body.split("\n"))
            key = head["key"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            return self._damaged(file.path, f"{type(error).__name__}: {error}")
        if sha256(f"{body}\n".encode()).hexdigest() != wanted:
            return self._damaged(file.path, "its content is not what was written")
        if key != file.key:
            return self._damaged(file.path, "it holds the answers to other prompts")
        if [len(one) for one in answers] != [prompt.repeats for prompt in chunk.prompts]:
            return self._damaged(file.path, "it holds another number of answers than asked for")
        return answers

    def _damaged(self, path: Path, reason: str) -> Answers | None:
        if path not in self._reported:
            self._reported.add(path)
            _logger.warning("%s is damaged (%s); its prompts are asked again.", path, reason)
        return None


def _unwritable(path: Path, error: OSError) -> ResultsError:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return ResultsError(
        f"{path} cannot be written ({error.strerror or error}). Answers of finished chunks are "
        f"kept. {'Free some space' if full else 'Make it writable'}, or name another folder: "
        "--model_args answers=FOLDER (in fable generate and dialect translate with a model of "
        "lm_eval: another --out)"
    )


def _replace(path: Path, text: str) -> None:
    writer = f"{os.getpid()}-{threading.get_ident()}"
    part = path.with_name(f".{path.name}.{writer}.part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)

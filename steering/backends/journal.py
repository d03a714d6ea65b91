"""Single answers on disk, as they come in: a request that is paid for is not made twice.

One JSON object a line, appended; a line that was cut off by the end of the process is passed over.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

from sociolect.generators.errors import ResultsError

FILE = "single_answers.jsonl"


class Journal:
    """The answers to single requests, by a key that says all that decides them.

    Args:
        folder: Where they are kept; made with the first one. None keeps them in memory.
    """

    def __init__(self, folder: Path | None) -> None:
        self.path = None if folder is None else folder / FILE
        self._lock = threading.Lock()
        self._known: dict[str, Any] = {}
        self._whole = True
        self._read()

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def __getitem__(self, key: str) -> Any:
        return self._known[key]

    def add(self, key: str, answer: Any) -> None:
        """Keep an answer.

        Raises:
            ResultsError: It cannot be written.
        """
        with self._lock:
            self._known[key] = answer
            if self.path is not None:
                self._append(json.dumps([key, answer], ensure_ascii=False))

    def _append(self, line: str) -> None:
        assert self.path is not None
        start = "" if self._whole else "\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8", errors="surrogatepass") as file:
                file.write(f"{start}{line}\n")
        except OSError as error:
            raise ResultsError(
                f"{self.path} cannot be written ({error.strerror}). Answers so far are kept. Free "
                "some space or make it writable, then start the same command again."
            ) from error
        self._whole = True

    def _read(self) -> None:
        if self.path is None or not self.path.is_file():
            return
        text = self.path.read_text("utf-8", errors="surrogatepass")
        self._whole = not text or text.endswith("\n")
        for line in text.split("\n"):
            try:
                key, answer = json.loads(line)
            except (ValueError, TypeError):
                continue
            self._known[str(key)] = answer

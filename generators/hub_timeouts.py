"""An end to waiting for a Hub that takes a request and gives no answer.

`huggingface_hub` waits without end for most answers, and repeats some requests by itself. Both are
bounded here while one call runs, by hooks on the HTTP client that it uses; nothing stays behind.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

CONNECT = 10.0
"""Seconds to wait for a connection, and for each piece of a request to be taken."""
READ = 30.0
"""Seconds to wait for each piece of an answer."""
READ_CHANGE = 60.0
"""Seconds to wait for the answer to a change: a commit may take a while."""
SILENCE = 120.0
"""Seconds without any answer after which nothing is asked again."""


class SilenceError(Exception):
    """Nothing was answered for too long."""


class Watch:
    """Watches the requests of one call, over all attempts at it."""

    def __init__(self) -> None:
        self._since: float | None = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Give every request of the block a timeout where it has none.

        Raises:
            SilenceError: A request was about to be made after too long a silence.
        """
        from huggingface_hub import get_session

        client = get_session()
        before = client.event_hooks
        client.event_hooks = {
            "request": [*before["request"], self._ask],
            "response": [*before["response"], self._answer],
        }
        try:
            yield
        finally:
            client.event_hooks = before

    def is_over(self, wait: float) -> bool:
        """Whether the silence will have been too long after another wait of so many seconds."""
        return self._since is not None and time.monotonic() + wait - self._since > SILENCE

    def _ask(self, request: Any) -> None:
        # Pieces of a large file: they go on for as long as they get anywhere.
        is_upload = request.method == "PUT"
        if self.is_over(0) and not is_upload:
            raise SilenceError(f"no answer for {SILENCE:.0f} s")
        if self._since is None and not is_upload:
            self._since = time.monotonic()
        read = READ_CHANGE if request.method == "POST" else READ
        longest = {"connect": CONNECT, "read": read, "write": CONNECT, "pool": CONNECT}
        asked = request.extensions.get("timeout") or {}
        given = {kind: seconds for kind, seconds in asked.items() if seconds is not None}
        request.extensions["timeout"] = longest | given

    def _answer(self, response: Any) -> None:
        self._since = None

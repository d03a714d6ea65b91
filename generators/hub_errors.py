"""Patience with the Hub, and its errors in words."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TypeVar

from sociolect.generators.hub_timeouts import SilenceError, Watch
from sociolect.generators.release import PublishError

_T = TypeVar("_T")

TRANSIENT = frozenset((408, 429, 500, 502, 503, 504))
"""Statuses after which the same request may succeed."""
CONFLICT = frozenset((409, 412))
"""Somebody else committed or tagged meanwhile: look again, then try again."""

_PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0)
_LONGEST = 300.0
"""Seconds that a server may ask to wait; if it asks for more, the user is told."""
_SHOWN = 400
"""Characters of a server's words that a message shows."""
_ODD = (AttributeError, IndexError, KeyError, TypeError, json.JSONDecodeError)
"""What `huggingface_hub` raises when an answer is not JSON, or JSON of another shape."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Repeats calls to the Hub that failed for a passing reason, six times at most.

    A Hub that gives no answer at all is waited for about two minutes.

    Attributes:
        repo: What the messages name.
        sleep: Waits a number of seconds.
    """

    repo: str
    sleep: Callable[[float], None]

    def call(self, call: Callable[[], _T], also: frozenset[int] = frozenset()) -> _T:
        """The result of a call that is safe to repeat.

        Args:
            call: What to do.
            also: Statuses, besides the transient ones, after which to try again.

        Raises:
            PublishError: It failed for good; the message holds no token.
        """
        watch = Watch()
        for pause in _PAUSES:
            try:
                with watch.watching():
                    return call()
            except _failures() as error:
                wait = max(pause, retry_after(error))
                status = status_of(error)
                if not _is_passing(error, also) or wait > _LONGEST or watch.is_over(wait):
                    raise self.failed(error) from None
                said = f"answers {status}" if status else f"does not answer ({_name(error)})"
            again = f"trying again in {wait:.0f} s"
            print(f"sociolect: the Hub {said}; {again}", file=sys.stderr, flush=True)
            self.sleep(wait)
        return self._last(call, watch)

    def once(self, call: Callable[[], _T]) -> _T:
        """The result of a call that is not safe to repeat.

        Raises:
            PublishError: It failed; the message holds no token.
        """
        return self._last(call, Watch())

    def _last(self, call: Callable[[], _T], watch: Watch) -> _T:
        try:
            with watch.watching():
                return call()
        except _failures() as error:
            raise self.failed(error) from None

    def failed(self, error: Exception) -> PublishError:
        """The error in words."""
        said = str(getattr(error, "server_message", None) or error).strip().rstrip(".")
        said = f"{_name(error)}: {said}" if isinstance(error, _ODD) else said
        said = one_line(without_token(said))[:_SHOWN]
        return PublishError(f"{_explanation(error, self.repo)} ({said or _name(error)})")


def one_line(text: str) -> str:
    """A server's words as they may go to a terminal: no line breaks, no control characters."""
    shown = (c if c.isprintable() or c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return " ".join("".join(shown).split())


def without_token(text: str) -> str:
    """The text, should a server have put the token into it."""
    from huggingface_hub import get_token

    token = get_token()
    return text.replace(token, "[token]") if token else text


def status_of(error: BaseException) -> int:
    """HTTP status of the answer that led to an error, 0 if there was none."""
    cause: BaseException | None = error
    while cause is not None:
        status = getattr(getattr(cause, "response", None), "status_code", 0)
        if status:
            return int(status)
        cause = cause.__cause__
    return 0


def retry_after(error: BaseException) -> float:
    """Seconds that the server asks to wait, 0 if it does not say.

    It says so in `Retry-After` (seconds or a date), or in `RateLimit` (`"api";r=0;t=55`).
    """
    headers = getattr(getattr(error, "response", None), "headers", {})
    named = str(headers.get("retry-after", "")).strip()
    if named.isdigit():
        return float(named)
    if limit := re.search(r"\br=0;.*?\bt=(\d+)", str(headers.get("ratelimit", ""))):
        return float(limit[1])
    try:
        until = parsedate_to_datetime(named)
        return max(0.0, (until - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):  # no date, or one without a time zone
        return 0.0


@cache
def _http_error() -> type[Exception]:
    """The base error of the HTTP client: of httpx with huggingface_hub 1, of httpx2 with 2."""
    from huggingface_hub.errors import HfHubHTTPError

    return HfHubHTTPError.__bases__[0]


def _failures() -> tuple[type[Exception], ...]:
    """What a call raises: answers, the network, the disk, nonsense (Value), a failed upload."""
    return (_http_error(), OSError, ValueError, RuntimeError, SilenceError, *_ODD)


def _name(error: Exception) -> str:
    return type(error).__name__


def _is_passing(error: Exception, also: frozenset[int]) -> bool:
    status = status_of(error)
    return status in TRANSIENT | also if status else isinstance(error, _http_error())


def _explanation(error: Exception, repo: str) -> str:
    from huggingface_hub.errors import OfflineModeIsEnabled

    if isinstance(error, OfflineModeIsEnabled):
        return "the Hub cannot be used offline; unset HF_HUB_OFFLINE"
    status = status_of(error)
    if status in TRANSIENT:
        wait = retry_after(error)
        when = f"in {wait:.0f} s or later" if wait else "later"
        return f"the Hub cannot take {repo} now, status {status}; run the same command again {when}"
    if status in _ANSWERS:
        return _ANSWERS[status].format(repo=repo)
    if isinstance(error, _ODD):
        return (
            "the Hub gave an answer of another form than that of the Hub's API; check HF_ENDPOINT, "
            "or run the same command again later"
        )
    if not status and isinstance(error, (_http_error(), SilenceError)):
        return "the Hub cannot be reached; check the network and HF_ENDPOINT, then run it again"
    return f"publishing {repo} failed; nothing is lost, the same command can be run again"


_ANSWERS = {
    401: "the Hub does not accept the token; make another, then `hf auth login` or set HF_TOKEN",
    402: "the Hub asks for a payment before it takes {repo}",
    403: "the token may not write to {repo}; make one with write access to its datasets",
    404: "the Hub has no {repo}, or the token may not see it; check the name and the token",
    409: "{repo} keeps changing; wait until nobody else writes to it, then run it again",
    412: "{repo} keeps changing; wait until nobody else writes to it, then run it again",
}

"""One request to an OpenAI-compatible server, with what may go wrong told apart.

What may pass (no connection, 408, 425, 429, 5xx, a body that is no answer) is tried again, later
and later, and no earlier than the server asks for. A prompt beyond the context of the model is a
finding, not an error. Everything else ends the run.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import requests
import tenacity

from sociolect.generators.errors import ModelError
from sociolect.generators.redaction import secret_values, without_secrets, without_values
from sociolect.steering.backends.served_answers import Body
from sociolect.steering.backends.served_messages import (
    advice,
    beginning,
    in_one_line,
    message_of,
    reason_of,
    without_prompt,
)

ATTEMPTS = 7
"""Times that a request is made at most: the waits between them add up to a minute."""
FIRST_WAIT = 1.0
"""Seconds before the second attempt; doubled before each further one."""
LONGEST_WAIT = 60.0
"""Seconds between two attempts at most, where the server asks for none."""
LONGEST_ASKED = 600.0
"""Seconds that a server may ask to be left alone (`Retry-After`) before the run ends instead."""

_PASSING = (408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529)
_TOO_LONG = re.compile(
    r"maximum context length|context_length_exceeded|context length|context window|"
    r"exceeds? (the )?(available )?context|max_model_len|maximum model length|prompt is too long",
    re.IGNORECASE,
)
_NO_MONEY = re.compile(r"insufficient_quota|billing", re.IGNORECASE)

_logger = logging.getLogger("lm_eval")

Usable = Callable[[Body], bool]
"""Whether a body holds what was asked for."""


class PromptTooLongError(ModelError):
    """The server says that a prompt is beyond the context of the model."""


class StoppedError(ModelError):
    """A request that was not made, since another one has failed for good."""


class PassingError(Exception):
    """What may be gone at the next attempt.

    Attributes:
        after: Seconds that the server asks to be left alone; None if it does not say.
    """

    def __init__(self, message: str, status: int | None = None, after: float | None = None) -> None:
        super().__init__(message)
        self.status, self.after = status, after


@dataclass(frozen=True, slots=True)
class Server:
    """Where answers are asked for, and how.

    Attributes:
        url: Of the endpoint.
        header: Of every request; holds the key.
        timeout: Seconds until a request counts as failed.
        verify: Check certificates, or the file of those to trust.
        attempts: Times that a request is made at most.
        kept: What a message says of the answers so far.
    """

    url: str
    header: Mapping[str, str]
    timeout: float = 300.0
    verify: bool | str = True
    attempts: int = ATTEMPTS
    kept: str = ""

    def hidden(
        self,
        text: str,
        payload: Mapping[str, Any] | None = None,
        sent: Mapping[str, str] | None = None,
    ) -> str:
        """What the server says, without what it repeats of a request.

        Args:
            text: Of a body; only its beginning is looked at.
            payload: What was asked.
            sent: Header of the request, if not only the one above.
        """
        key = (sent or {}).get("Authorization")
        header = {**self.header, "sent": str(key)} if key else self.header
        text = without_values(beginning(text), secret_values(self.url, header))
        return without_prompt(without_secrets(text), payload)

    @property
    def shown_url(self) -> str:
        """The URL without names, passwords and arguments."""
        parts = urlsplit(self.url)
        return without_secrets(urlunsplit(parts._replace(query="", fragment="")))


class Caller:
    """Makes requests; several threads may share one.

    Args:
        server: What is asked.
    """

    def __init__(self, server: Server) -> None:
        self.server = server
        self.stopped = threading.Event()
        self._local = threading.local()

    def post(self, payload: Mapping[str, Any], usable: Usable) -> Body:
        """The answer to a payload.

        Args:
            payload: What is asked.
            usable: A body that is not is no answer, and asked for again.

        Raises:
            PromptTooLongError: The prompt is beyond the context of the model.
            ModelError: No answer: refused, or failed as often as it may be tried.
        """
        return self._patiently("POST", self.server.url, payload, usable)

    def get(self, url: str) -> Body:
        """What another address of the server says.

        Raises:
            ModelError: As in `post`.
        """
        return self._patiently("GET", url, None, lambda body: True)

    def _patiently(
        self, method: str, url: str, payload: Mapping[str, Any] | None, usable: Usable
    ) -> Body:
        if self.stopped.is_set():
            raise StoppedError("another request has failed")
        trying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(PassingError),
            stop=tenacity.stop_any(
                tenacity.stop_after_attempt(self.server.attempts),
                tenacity.stop_when_event_set(self.stopped),
                _AskedTooLong(),
            ),
            wait=_wait,
            sleep=tenacity.sleep_using_event(self.stopped),
            before_sleep=self._say,
            reraise=True,
        )
        try:
            found: Body = trying(
                lambda: self._body(self._once(method, url, payload), usable, payload)
            )
        except PassingError as error:
            attempts = trying.statistics.get("attempt_number", self.server.attempts)
            raise ModelError(self._given_up(error, attempts)) from error
        return found

    def _say(self, state: tenacity.RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        seconds = state.next_action.sleep if state.next_action else 0.0
        _logger.warning(
            "%s; again in %.0f s (attempt %d of %d).",
            error,
            seconds,
            state.attempt_number + 1,
            self.server.attempts,
        )

    def _once(self, method: str, url: str, payload: Mapping[str, Any] | None) -> requests.Response:
        server = self.server
        try:
            return self._session().request(
                method,
                url,
                json=payload,
                headers=dict(server.header),
                timeout=server.timeout,
                verify=server.verify,
            )
        except requests.exceptions.InvalidURL as error:
            said = in_one_line(server.hidden(str(error)))
            raise ModelError(f"{server.shown_url} is no address: {said}") from None
        except (requests.exceptions.MissingSchema, requests.exceptions.InvalidSchema) as error:
            raise ModelError(f"{server.shown_url} is no address (http://…)") from error
        except requests.exceptions.SSLError as error:
            raise ModelError(
                f"{server.shown_url}: its certificate is not trusted. "
                "--model_args ca_cert_path=FILE names one that is."
            ) from error
        except requests.RequestException as error:
            # Its text holds the path with its query, which a traceback would show.
            raise PassingError(f"{server.shown_url}: {reason_of(error)}") from None

    def _session(self) -> requests.Session:
        session = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = requests.Session()
        made: requests.Session = session
        return made

    def _body(
        self, response: requests.Response, usable: Usable, payload: Mapping[str, Any] | None
    ) -> Body:
        server, status = self.server, response.status_code
        if status != 200:
            raise self._refusal(response, payload)
        try:
            body = response.json()
        except ValueError as error:
            raise PassingError(f"{server.shown_url}: the answer is no JSON", status) from error
        if not isinstance(body, dict) or body.get("error"):
            said = self._said(response, message_of(response), payload)
            raise PassingError(f"{server.shown_url}: no answer but {in_one_line(said)}", status)
        if not usable(body):
            said = in_one_line(self._said(response, str(body), payload))
            raise PassingError(f"{server.shown_url}: an answer without text ({said})", status)
        return body

    def _said(
        self, response: requests.Response, text: str, payload: Mapping[str, Any] | None
    ) -> str:
        return self.server.hidden(text, payload, response.request.headers)

    def _refusal(self, response: requests.Response, payload: Mapping[str, Any] | None) -> Exception:
        server, status = self.server, response.status_code
        said = self._said(response, message_of(response), payload)
        shown = in_one_line(said)
        if status in (400, 413, 422) and _TOO_LONG.search(said):
            return PromptTooLongError(shown)
        if status in _PASSING and not (status == 429 and _NO_MONEY.search(said)):
            return PassingError(
                f"{server.shown_url}: status {status} ({shown})", status, _after(response)
            )
        return ModelError(
            f"{server.shown_url}: status {status} ({shown}). {advice(status)}{server.kept}"
        )

    def _given_up(self, error: PassingError, attempts: int) -> str:
        if error.after is not None and error.after > LONGEST_ASKED:
            told = f"The server asks for a pause of {error.after:.0f} s: start again after it."
        else:
            told = advice(error.status)
        return f"{error}, after {attempts} attempts. {told}{self.server.kept}"


def _wait(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    usual = min(FIRST_WAIT * 2.0 ** (state.attempt_number - 1), LONGEST_WAIT)
    asked = error.after if isinstance(error, PassingError) else None
    return usual if asked is None else max(asked, min(usual, FIRST_WAIT))


class _AskedTooLong(tenacity.stop.stop_base):
    """Ends the attempts when the server wants to be left alone for longer than a run waits."""

    def __call__(self, retry_state: tenacity.RetryCallState) -> bool:
        error = retry_state.outcome.exception() if retry_state.outcome else None
        return isinstance(error, PassingError) and (error.after or 0.0) > LONGEST_ASKED


def _after(response: requests.Response) -> float | None:
    """Seconds of the header `Retry-After`: a number, or a date."""
    given = response.headers.get("Retry-After", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", given):
        return float(given)
    try:
        return max(parsedate_to_datetime(given).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError, OverflowError):
        return None

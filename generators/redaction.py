"""What must never be written down: values under secret names, access tokens, secrets in URLs."""

from __future__ import annotations

import html
import json
import re
from base64 import b64decode, b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from urllib.parse import quote, quote_plus, unquote, unquote_plus, urlsplit

HIDDEN = "***"

_NAME = re.compile(
    r"(?i)((?<![a-z_])(hf_|auth_|access_|use_auth_|api_)?token|(api|access)[_-]?key|secret|password|"
    r"credentials?|authorization)$"
)
"""Not `add_bos_token` and the like, which are settings."""
_TOKEN = re.compile(r"\b(hf_|sk-|ghp_)[A-Za-z0-9_-]{8,}")
_URL_USER = re.compile(r"(://)[^/?#\s]+@")
_URL = re.compile(r"""[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>]+""")
_QUERY = re.compile(r"([?&;#])([^=&;#?]+)=([^&;#]+)")
_QUERY_NAME = re.compile(
    r"(?i)(^|[_-])(key|apikey|code|sig|signature|token|auth|jwt|pass|passwd|pwd|session)$"
)
"""In the query of a URL; `key` is a setting elsewhere."""
_SHORT = 4
"""A secret with fewer characters is hidden only where it is a word of its own."""
_SCHEMES = ("basic", "bearer", "token")


def is_secret(name: str) -> bool:
    """Whether the value of an argument with this name must never be written down."""
    return _NAME.search(name) is not None


def without_secrets(text: str) -> str:
    """A text without what is secret in it wherever it stands.

    Access tokens are `***`, and in URLs names with passwords, and values of the query under names
    such as `api_key`, `key` and `sig`. Scheme, host, port and path stay.
    """
    return _URL.sub(_without_query, _URL_USER.sub(rf"\1{HIDDEN}@", _TOKEN.sub(HIDDEN, text)))


def has_secrets(text: str) -> bool:
    """Whether something in a text must never be written down."""
    return without_secrets(text) != text


def secret_values(url: str, header: Mapping[str, str]) -> frozenset[str]:
    """What a server may not be quoted with: what came with a request beside its path.

    Args:
        url: Of the request. Its password, its user with the password (or alone, as a token), and
            the values of its query; short ones under secret names only.
        header: Of the request. Its values, without their scheme, and the parts of a cookie.
    """
    parts = urlsplit(url)
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    found = {password, f"{user}:{password}"} if password else {user}
    for part in re.split("[&;]", parts.query):
        name, given, value = part.partition("=")
        secret = is_secret(unquote(name)) or _QUERY_NAME.search(unquote(name))
        found.add(value if secret or len(value) >= _SHORT else "" if given else name)
    for value in header.values():
        found |= {one for one in _of_header(value.strip()) if len(one) >= _SHORT}
    return frozenset(found - {""})


def without_values(text: str, values: frozenset[str]) -> str:
    """A text without some values, be they percent-encoded, escaped, or in Base64.

    Args:
        text: Any.
        values: As `secret_values` finds them.
    """
    return _pattern(values).sub(HIDDEN, text) if values else text


@lru_cache(maxsize=8)
def _pattern(values: frozenset[str]) -> re.Pattern[str]:
    forms = sorted({form for value in values for form in _forms(value)} - {""}, key=len)
    return re.compile("|".join(map(_literal, reversed(forms))), re.IGNORECASE)


def _literal(form: str) -> str:
    return re.escape(form) if len(form) >= _SHORT else rf"(?<!\w){re.escape(form)}(?!\w)"


def _forms(value: str) -> Iterator[str]:
    """A value as it may be written down: itself, decoded, encoded and escaped."""
    plain = {value, unquote(value), unquote_plus(value)}
    encoded = {
        encode(one.encode(charset, "replace")).decode()
        for one in plain
        for encode in (b64encode, urlsafe_b64encode)
        for charset in ("utf-8", "latin-1")
    }
    for one in {*plain, *encoded, *(text.rstrip("=") for text in encoded)}:
        yield from (quote(one, safe, errors="replace") for safe in ("/", ""))
        yield from (one, quote_plus(one, errors="replace"), html.escape(one))
        yield from (json.dumps(one)[1:-1], json.dumps(one, ensure_ascii=False)[1:-1])


def _of_header(value: str) -> Iterable[str]:
    scheme, _, rest = value.partition(" ")
    if scheme.lower() not in _SCHEMES:
        return {
            value,
            rest.strip(),
            *(part.partition("=")[2] for part in re.split(r"[;,]\s*", value)),
        }
    if scheme.lower() != "basic":
        return {rest.strip()}
    try:
        user = b64decode(rest).decode("utf-8", "replace")
    except ValueError:
        return {rest.strip()}
    return {rest.strip(), user, user.partition(":")[2]}


def _without_query(url: re.Match[str]) -> str:
    def hide(part: re.Match[str]) -> str:
        name = unquote(part[2])
        shown = HIDDEN if is_secret(name) or _QUERY_NAME.search(name) else part[3]
        return f"{part[1]}{part[2]}={shown}"

    return _QUERY.sub(hide, url[0])

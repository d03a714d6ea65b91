"""What must never be written down: values under secret names, access tokens, secrets in URLs."""

from __future__ import annotations

import re
from urllib.parse import unquote

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


def _without_query(url: re.Match[str]) -> str:
    def hide(part: re.Match[str]) -> str:
        name = unquote(part[2])
        shown = HIDDEN if is_secret(name) or _QUERY_NAME.search(name) else part[3]
        return f"{part[1]}{part[2]}={shown}"

    return _QUERY.sub(hide, url[0])

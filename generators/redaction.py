"""What must never be written down: values under secret names, access tokens, passwords in URLs."""

from __future__ import annotations

import re

HIDDEN = "***"

_NAME = re.compile(
    r"(?i)((?<![a-z_])(hf_|auth_|access_|use_auth_|api_)?token|(api|access)[_-]?key|secret|password|"
    r"credentials?|authorization)$"
)
"""Not `add_bos_token` and the like, which are settings."""
_TOKEN = re.compile(r"\b(hf_|sk-|ghp_)[A-Za-z0-9_-]{8,}")
_URL_USER = re.compile(r"(://)[^/@\s]+@")


def is_secret(name: str) -> bool:
    """Whether the value of an argument with this name must never be written down."""
    return _NAME.search(name) is not None


def without_secrets(text: str) -> str:
    """A text in which access tokens, and names and passwords in URLs, are `***`."""
    return _URL_USER.sub(rf"\1{HIDDEN}@", _TOKEN.sub(HIDDEN, text))

"""How a licence is named."""

from __future__ import annotations

import re

_SPDX = re.compile(r"[A-Za-z0-9.+-]{1,60}")


def is_spdx(text: str) -> bool:
    """Whether a text has the form of an SPDX identifier, such as CC-BY-4.0; nobody looks it up."""
    return _SPDX.fullmatch(text) is not None

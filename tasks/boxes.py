r"""Boxes of LaTeX in a text: `\boxed{…}` and `\fbox{…}`."""

from __future__ import annotations

import re

BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
BRACES = re.compile(rf"\\[{{}}]|{BOX.pattern}|[{{}}]")
"""What opens or closes a brace, an escaped one, and what opens a box."""


def boxes(text: str) -> list[str]:
    r"""The contents of the outermost closed boxes, in order. Linear in the length of `text`."""
    first = BOX.search(text)
    if first is None:
        return []
    open_at: list[int | None] = []
    found: list[tuple[int, int]] = []
    for brace in BRACES.finditer(text, first.start()):
        token = brace[0]
        if token == "{":
            open_at.append(None)
        elif token == "}" and open_at:
            start = open_at.pop()
            if start is not None:
                while found and found[-1][0] > start:
                    found.pop()
                found.append((start, brace.start()))
        elif len(token) > 2:
            open_at.append(brace.end())
    return [text[start:end] for start, end in found]

"""What tests of the page in a browser share."""

from __future__ import annotations

import time
from typing import Any


def go(page: Any, address: str, where: str = "#view=table") -> None:
    """Open the page at a place, and wait until it is drawn."""
    page.goto(address + where)
    page.wait_for_selector("html[data-ready]")


def until(page: Any, expression: str, expected: object = True) -> None:
    """Wait for a value; the page itself may not evaluate what Playwright would wait for."""
    end = time.monotonic() + 5
    while (found := page.evaluate(expression)) != expected:
        assert time.monotonic() < end, f"{expression} is {found!r}"
        page.wait_for_timeout(15)

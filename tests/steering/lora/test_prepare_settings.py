from __future__ import annotations

from typing import Any

import pytest

from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.steering.lora.prepare_settings import Settings
from sociolect.steering.lora.targets import Limits


@pytest.mark.parametrize(
    "bad",
    [
        {"items": 0},
        {"completions": 0},
        {"max_tokens": 0},
        {"seed": -1},
        {"seed": 2**63},
        {"temperature": 0.0},
        {"temperature": float("inf")},
        {"temperature": float("nan")},
        {"top_p": 0.0},
        {"top_p": 1.1},
        {"top_p": float("nan")},
        {"levels": ()},
        {"levels": (5, 5)},
    ],
)
def test_bad_numbers_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        Settings(**bad)


@pytest.mark.parametrize("bad", [{"form": "ll"}, {"levels": (7,)}])
def test_unknown_names_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(UnknownNameError):
        Settings(**bad)


def test_the_defaults_are_those_of_the_paper() -> None:
    settings = Settings()
    assert (settings.items, settings.completions, settings.max_tokens) == (5000, 3, 1024)
    assert (settings.temperature, settings.top_p) == (0.7, 0.9)
    assert settings.levels == (5, 10, 20, 30)
    assert settings.limits == Limits(80, 4000, 0.5)
    assert not settings.chat_template

"""Settings of a run that writes responses, and how many items it needs to know."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

from sociolect import __version__
from sociolect.generators.benchmarks.fable_plan import PlannedItem
from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.generators.licences import is_spdx
from sociolect.generators.uniform import Uniforms
from sociolect.harness.fable.prompts import PROMPT_FORMAT, STOPS
from sociolect.harness.fable.text_checks import Limits
from sociolect.tasks.prompts import TASK_FORMAT


def check_asking(attempts: int, max_new_tokens: int, seed: int, temperature: float) -> None:
    """Refuse settings with which no model can be asked.

    Raises:
        InvalidInputError: A number out of range.
    """
    for name, value in (("attempts", attempts), ("max-new-tokens", max_new_tokens)):
        if value < 1:
            raise InvalidInputError(f"--{name} must be 1 or more, not {value}")
    if not 0 <= seed < 2**63:
        raise InvalidInputError(f"--seed must be 0 or more and below 2**63, not {seed}")
    if not (temperature >= 0 and math.isfinite(temperature)):
        raise InvalidInputError(f"--temperature must be 0 or more, not {temperature}")


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides which responses are written and kept.

    Attributes:
        attempts: Responses written for an item at most.
        seed: Of sampling, of the manners, of what `balanced` leaves out; 0 to 2⁶³ − 1.
        temperature: Of the sampling; 0 is greedy.
        top_p: Of the sampling, in (0, 1].
        max_new_tokens: Longest response in tokens.
        limits: Lengths that are accepted.
        balanced: Keep the same number of items for every question and stance.
        licence: Of the responses, an SPDX identifier kept with every item; empty for none.

    Raises:
        InvalidInputError: A number out of range.
    """

    attempts: int = 5
    seed: int = 0
    temperature: float = 0.9
    top_p: float = 0.95
    max_new_tokens: int = 200
    limits: Limits = field(default_factory=Limits)
    balanced: bool = False
    licence: str = ""

    def __post_init__(self) -> None:
        check_asking(self.attempts, self.max_new_tokens, self.seed, self.temperature)
        if not 0 < self.top_p <= 1:
            raise InvalidInputError(f"--top-p must be above 0 and at most 1, not {self.top_p}")
        if self.licence and not is_spdx(self.licence):
            raise InvalidInputError(
                f"--licence {self.licence!r} is no SPDX identifier, such as CC0-1.0"
            )

    def generation(self, *, chat: bool) -> dict[str, Any]:
        """lm_eval's generation settings.

        Args:
            chat: Whether the model ends its turn itself.
        """
        sampling: dict[str, Any] = {"do_sample": False, "temperature": 0.0}
        if self.temperature > 0:
            sampling = {
                "do_sample": True,
                "temperature": self.temperature,
                "top_p": self.top_p,
            }
        stops = [] if chat else list(STOPS)
        return {"until": stops, **sampling, "max_gen_toks": self.max_new_tokens}

    def job(
        self,
        planned: Sequence[PlannedItem],
        writer: Mapping[str, Any],
        checker: Mapping[str, Any],
    ) -> dict[str, Any]:
        """Everything that decides the file: two files of one job are equal if models are.

        Args:
            planned: The items.
            writer: Who writes: identity of the model, chat template or not.
            checker: Who reads the stances: the same, and the form.
        """
        content = json.dumps([asdict(item) for item in planned], sort_keys=True)
        return {
            **asdict(self),
            "planned": len(planned),
            "plan": sha256(content.encode()).hexdigest(),
            "prompt_format": PROMPT_FORMAT,
            "task_format": TASK_FORMAT,
            "sociolect": __version__,
            "writer": dict(writer),
            "checker": dict(checker),
        }


def chosen(
    planned: Sequence[PlannedItem], categories: Sequence[str], limit: int | None
) -> list[PlannedItem]:
    """The part of a plan that is asked for, in its order.

    A limit takes one item of every category and stance, then a second one, and so on; which ones
    says a hash of their names. Those of a lower limit are among those of a higher one.

    Raises:
        UnknownNameError: No such category.
        InvalidInputError: A limit below 1.
    """
    known = list(dict.fromkeys(item.category for item in planned))
    for name in categories:
        if name not in known:
            raise UnknownNameError("category", name, known)
    if limit is not None and limit < 1:
        raise InvalidInputError(f"--limit must be 1 or more, not {limit}")
    items = [item for item in planned if not categories or item.category in categories]
    if limit is None or limit >= len(items):
        return items
    kept = {item.key for item in _spread(items)[:limit]}
    return [item for item in items if item.key in kept]


def _spread(items: Sequence[PlannedItem]) -> list[PlannedItem]:
    """Items in an order whose every beginning is spread over categories and stances."""
    draw = Uniforms(0, "fable", "limit")
    turns: Counter[tuple[str, str]] = Counter()
    places = {}
    for item in sorted(items, key=lambda item: draw(item.key)):
        turn = turns[item.category, item.label]
        places[item.key] = turn, draw(f"{item.category} {turn}"), item.label
        turns[item.category, item.label] += 1
    return sorted(items, key=lambda item: places[item.key])

"""Systems under audit: a model, and what was done to it.

The columns of Table 3 of the dialect paper: Base, Prompt (asked with the equivalence instruction),
and a model with an adapter or steered activations. All that share a model are held against its
Base.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sociolect.harness.dialect.runs import DialectRun
from sociolect.harness.run_settings import STEERING

BASE = "Base"
PROMPT = "Prompt"
ADAPTERS: tuple[str, ...] = ("peft", "lora_local_path", "delta")
"""Model arguments that name an adapter."""
_HASH = 12

Ints = npt.NDArray[np.int64]
Origin = tuple[str, str, str]
"""Name, revision and subfolder of the model without what was done to it."""


def is_steering(argument: str) -> bool:
    """Whether a model argument says how activations are steered."""
    return argument in STEERING


@dataclass(frozen=True)
class System:
    """One column of the report.

    Attributes:
        model: Name to show of the model.
        name: Base, Prompt, or what was done to the model; distinct within the model.
        origin: What identifies the model.
        adapter: As it was named; empty for none.
        steering: Model arguments that say how it is steered.
        prompted: Whether it was asked with the equivalence instruction.
        details: Backend, precision and everything else that can make it answer otherwise.
        runs: By task, without the end `_prompted`.
    """

    model: str
    name: str
    origin: Origin
    adapter: str
    steering: tuple[tuple[str, str], ...]
    prompted: bool
    details: Mapping[str, str]
    runs: Mapping[str, DialectRun]

    @property
    def is_base(self) -> bool:
        """Whether nothing was done to the model."""
        return not (self.adapter or self.steering or self.prompted)

    @property
    def label(self) -> str:
        """Model and name."""
        return f"{self.model} · {self.name}"


@dataclass(frozen=True)
class Dataset:
    """What was asked about one set of pairs.

    Attributes:
        sha256: Of its rows.
        split: That was asked for; empty if the pairs are in none.
        systems: Those of one model together, its Base first.
        ids: Of all pairs that any system was asked about.
        clusters: Number of the group of each pair, from 0; a pair without a group is one of its
            own. Shape (n,).
        notes: On what differs between the systems.
    """

    version: str
    sha256: str
    split: str
    local: bool
    systems: tuple[System, ...]
    ids: tuple[str, ...]
    clusters: Ints
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Hash and split."""
        split = f"split {self.split}" if self.split else "no split"
        return f"data {self.sha256[:_HASH]}, {split}"

    @property
    def grouped(self) -> bool:
        """Whether any pairs belong together."""
        return self.size < len(self.ids)

    @property
    def size(self) -> int:
        """Number of groups."""
        return int(self.clusters.max()) + 1

    def base_of(self, system: System) -> System | None:
        """What a system is held against: the one Base of its model, or that in its own settings.

        Without a Base, a model with an adapter that is steered or prompted is held against the
        same adapter alone.
        """
        if system.is_base:
            return None
        same = [one for one in self.systems if one.origin == system.origin and one is not system]
        bases = [one for one in same if one.is_base]
        if not bases and (system.steering or system.prompted):
            plain = [one for one in same if not (one.steering or one.prompted)]
            bases = [one for one in plain if one.adapter == system.adapter]
        alike = [one for one in bases if one.details == system.details]
        found = bases if len(bases) == 1 else alike
        return found[0] if len(found) == 1 else None

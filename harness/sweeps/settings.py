"""What a sweep is, as its file says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Model:
    """A model of a sweep, with what it takes from its base.

    Attributes:
        name: As the file gives it.
        slug: Its folder.
        model: lm_eval's `--model`.
        model_args: lm_eval's `--model_args`.
        arguments: Further arguments of `sociolect eval`, those of the whole sweep among them.
        gpus: That one cell needs, on Ray.
        cpus: Likewise.
    """

    name: str
    slug: str
    model: str
    model_args: Mapping[str, Any] = field(default_factory=dict)
    arguments: Mapping[str, Any] = field(default_factory=dict)
    gpus: float = 0
    cpus: float = 1


@dataclass(frozen=True, slots=True)
class Sweep:
    """Models × tasks × seeds.

    Attributes:
        file: Where it was read.
        out: Folder of results.
        models: In the order of the file.
        entries: Tasks that one cell asks together, tags and patterns taken apart.
        seeds: Of the errors.
        environment: Variables of every cell.
    """

    file: Path
    out: Path
    models: tuple[Model, ...]
    entries: tuple[tuple[str, ...], ...]
    seeds: tuple[int, ...] = (0,)
    environment: Mapping[str, str] = field(default_factory=dict)

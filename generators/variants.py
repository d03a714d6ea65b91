"""The rows of any condition of a loaded benchmark, with how they came about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

from sociolect.generators.calibrate import Calibration
from sociolect.generators.conditions import TRANSFORMS, Condition
from sociolect.generators.inject import Injector, Perturbed, clean_texts, realised_mix
from sociolect.generators.items import PART_NAMES, Benchmark, PartName
from sociolect.generators.noise.inject import NoiseInjector
from sociolect.generators.noise.mix import noise_mix
from sociolect.generators.noise.options import DEFAULT_NOISE, NoiseOptions
from sociolect.generators.noise.realised import mean_change
from sociolect.generators.rows import Row, config_sha256, make_noise_row, make_row
from sociolect.generators.text import Edit

_Texts = list[tuple[Perturbed, ...]]


class Variants:
    """The rows of any condition of a loaded benchmark.

    Args:
        benchmark: The benchmark.
        seed: The error seed.
        rules: `paper` or `careful`, for learner errors.
        noise: How surface noise is drawn.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        seed: int = 0,
        rules: str = "paper",
        noise: NoiseOptions = DEFAULT_NOISE,
    ) -> None:
        self._benchmark = benchmark
        self._seed = seed
        self._rules = rules
        self._noise = noise
        self._injectors: dict[PartName, Injector] = {}
        self._clean: dict[PartName, _Texts] = {}
        self._last: dict[PartName, tuple[tuple[str, int], _Texts]] = {}

    def injector(self, part: PartName) -> Injector:
        """The choices of one part, made when first asked for."""
        if part not in self._injectors:
            self._injectors[part] = Injector(self._benchmark, part, self._seed, self._rules)
        return self._injectors[part]

    def forget(self, transform: str) -> None:
        """Free the memory that a transform took: gigabytes for all transforms of MMLU."""
        self._last.clear()
        if transform in TRANSFORMS:
            for injector in self._injectors.values():
                injector.forget(TRANSFORMS[transform])

    def calibrate(self, condition: Condition) -> dict[PartName, Calibration]:
        """The solved cutoff of every perturbed part.

        Raises:
            LevelUnreachableError: The level is out of reach in one of them.
        """
        return {
            part: self.injector(part).calibrate(
                condition.types,
                condition.level / 100,
                f"{self._benchmark.name} {condition.config_name} ({part}, {self._rules} rules)",
            )
            for part in condition.perturbed_parts
        }

    def config(self, condition: Condition) -> tuple[list[Row], dict[str, Any]]:
        """Rows of a condition and its manifest entry.

        Raises:
            LevelUnreachableError: The level is out of reach.
        """
        return self._noisy(condition) if condition.is_noise else self._with_errors(condition)

    @cached_property
    def _noise_injector(self) -> NoiseInjector:
        return NoiseInjector(self._benchmark, self._seed, self._noise)

    def _noisy(self, condition: Condition) -> tuple[list[Row], dict[str, Any]]:
        texts = self._noise_injector.render(condition.transform, condition.level / 100)
        rows = [
            make_noise_row(pair, item, condition, self._seed, noised)
            for pair, members in zip(self._benchmark.pairs, texts, strict=True)
            for item, noised in zip(pair.members, members, strict=True)
        ]
        change = mean_change(noised.change for members in texts for noised in members)
        edits = [e for members in texts for e in members[0].edits]
        return rows, {
            **self._named(condition),
            **change._asdict(),
            "mix": [asdict(m) for m in noise_mix(edits)],
            **_counted(rows),
        }

    def _with_errors(self, condition: Condition) -> tuple[list[Row], dict[str, Any]]:
        found = self.calibrate(condition)
        texts = {part: self._texts(part, condition, found) for part in PART_NAMES}
        rows = [
            make_row(pair, item, condition, self._seed, {p: texts[p][i][m] for p in PART_NAMES})
            for i, pair in enumerate(self._benchmark.pairs)
            for m, item in enumerate(pair.members)
        ]
        edits = [e for p in condition.perturbed_parts for unit in texts[p] for e in unit[0].edits]
        return rows, self._entry(condition, found, rows, edits)

    def _texts(
        self, part: PartName, condition: Condition, found: Mapping[PartName, Calibration]
    ) -> _Texts:
        if part in found:
            injector = self.injector(part)
            # Errors in both parts are those of either part: the last texts often serve again.
            key = (condition.transform, condition.level)
            if part not in self._last or self._last[part][0] != key:
                rendered = injector.render(condition.types, found[part].cutoff)
                self._last[part] = key, [members for _, members in rendered]
            return self._last[part][1]
        if part not in self._clean:
            self._clean[part] = clean_texts(self._benchmark, part)
        return self._clean[part]

    def _entry(
        self,
        condition: Condition,
        found: Mapping[PartName, Calibration],
        rows: Sequence[Row],
        edits: Iterable[Edit],
    ) -> dict[str, Any]:
        return {
            **self._named(condition),
            "cutoff": {part: c.cutoff for part, c in found.items()},
            "mean_error_rate": sum(r["error_rate"] for r in rows) / len(rows),
            "mean_error_rate_by_part": {p: c.mean_error_rate for p, c in found.items()},
            "ceiling": {part: c.ceiling for part, c in found.items()},
            "at_ceiling": any(c.at_ceiling for c in found.values()),
            "mix": [asdict(m) for m in realised_mix(condition.types, edits)],
            **_counted(rows),
        }

    def _named(self, condition: Condition) -> dict[str, Any]:
        return {
            "transform": condition.transform,
            "level": condition.level,
            "part": condition.part,
            "rules": self._rules,
        }


def _counted(rows: Sequence[Row]) -> dict[str, Any]:
    return {"rows": len(rows), "sha256": config_sha256(rows)}

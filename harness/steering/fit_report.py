"""A fit as a table for the screen, as JSON and as a report."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from sociolect.harness.sheets import Cell, Column, Sheet, as_markdown, escape_markdown
from sociolect.harness.steering.fit_folder import FORMAT, PLOT
from sociolect.steering.fitting.fit import Measured
from sociolect.steering.fitting.fit_settings import CONFIDENCE, FEWEST_ITEMS
from sociolect.steering.fitting.fit_vectors import RANDOM, LayerRow, facts, layer_rows, used_ids
from sociolect.steering.fitting.fit_warnings import counted, warnings

_COLUMNS = (
    Column("block"),
    Column("R"),
    Column(f"{CONFIDENCE:.0%} CI"),
    Column("in top"),
    Column("weight"),
    Column("stability"),
    Column("median norm"),
    Column("weight/norm"),
)
_NONE = "–"
_PREFERRED = {
    "dialect": ("the continuation that goes with the context", "the other one"),
    "errors": ("the right option", "a wrong one"),
}


def legend(kind: str) -> tuple[str, str, str]:
    """What the columns and the mean preference of a fit on dialect or errors are."""
    own, other = _PREFERRED[kind]
    return (
        f"R: mean effect of restoring a block, in nats; below 0 it moves the model towards {own}. "
        f"* is steered. {_NONE}: of fewer than {FEWEST_ITEMS} items nothing is said about others.",
        f"mean preference: mean over the items of b = log P({own}) − log P({other}), sums over "
        "their tokens, in nats (dialect paper, Eq. 3). R is a mean of differences of b, so an item "
        "with long continuations can decide it.",
        "in top: share of resamples of the items in which the block would be chosen. stability: "
        "cosine of the directions of two halves of the pairs. weight/norm: what a vector with "
        "beta=1 adds, as a share of the median residual stream there.",
    )


@dataclass(frozen=True)
class Report:
    """A fit, and what can be said of it.

    Attributes:
        measured: What was found.
        chosen: Weights of the blocks that are steered; empty if none can be.
    """

    measured: Measured
    chosen: Mapping[int, float]

    @property
    def rows(self) -> list[LayerRow]:
        """One row a block."""
        return layer_rows(self.measured, self.chosen)

    @property
    def warnings(self) -> list[str]:
        """What is weak in it; nothing is said of blocks that were not chosen."""
        return warnings(self.measured, self.rows) if self.chosen else []

    def sheet(self) -> Sheet:
        """The table of blocks."""
        notes = legend(self.measured.material.kind)
        return Sheet(f"{self.measured.of.name}, {self._what()}", _COLUMNS, self._cells(), notes)

    def _cells(self) -> tuple[tuple[Cell, ...], ...]:
        return tuple(_cells(row) for row in self.rows)

    def _what(self) -> str:
        found = self.measured
        pairs = counted(found.directions.pairs, "pair")
        return f"{found.material.kind}: {pairs}, {counted(len(found.traced), 'item')} traced"

    def summary(self) -> list[str]:
        """Lines for the screen."""
        before, after = self._corrupted()
        blocks = ", ".join(f"{k} ({w:.2f})" for k, w in sorted(self.chosen.items()))
        seconds = ", ".join(f"{step} {s:,.0f} s" for step, s in self.measured.seconds.items())
        return [
            f"steered blocks and their weights: {blocks or 'none'}",
            f"mean preference for {_PREFERRED[self.measured.material.kind][0]}: {before:+.3f} "
            f"nats, with noise {after:+.3f}",
            f"time of this run: {seconds}",
        ]

    def _corrupted(self) -> tuple[float, float]:
        traced = self.measured.traced
        return (
            sum(one.clean for one in traced) / len(traced),
            sum(one.corrupted for one in traced) / len(traced),
        )

    def as_json(self) -> dict[str, Any]:
        """All numbers."""
        before, after = self._corrupted()
        return {
            "format": FORMAT,
            "model": asdict(self.measured.of),
            "layers": sorted(self.chosen),
            "weights": {str(k): self.chosen[k] for k in sorted(self.chosen)},
            "ids": used_ids(self.measured),
            "blocks": [_plain(row, row.layer in self.chosen) for row in self.rows],
            "mean_clean": before,
            "mean_corrupted": after,
            "warnings": self.warnings,
            "seconds": {step: round(s, 1) for step, s in self.measured.seconds.items()},
            **facts(self.measured),
            "items": [
                {
                    "id": one.id,
                    "clean": one.clean,
                    "corrupted": one.corrupted,
                    "positions": one.positions,
                    "sigma": one.sigma,
                    "effects": [float(effect) for effect in one.effects],
                }
                for one in self.measured.traced
            ],
        }

    def as_markdown(self, out: Path, *, drawn: bool) -> str:
        """The report of a folder.

        Args:
            out: The folder, as the commands in the report name it.
            drawn: Whether there is a picture in it.
        """
        return "\n".join(self._parts(out, drawn)) + "\n"

    def _parts(self, out: Path, drawn: bool) -> Iterator[str]:
        said = facts(self.measured)
        yield f"# Steering vector of {escape_markdown(self.measured.of.name)}\n"
        yield f"Fitted on {escape_markdown(self._what())}.\n"
        yield from _list({**said["data"], **_how(said)})
        yield "\n## Blocks\n"
        yield as_markdown([self.sheet()])
        if drawn:
            yield f"![R by block]({PLOT})\n"
        yield "\n".join(f"- {escape_markdown(line)}" for line in self.summary())
        yield "\n## Left out\n"
        for step, reasons in said["left_out"].items():
            yield from _list({f"{step}, {reason}": n for reason, n in reasons.items()})
        yield "\n## What to be careful about\n"
        yield "\n".join(
            f"- {escape_markdown(line)}" for line in self.warnings or ["Nothing found."]
        )
        yield "\n## How to use it\n"
        yield from self._usage(out)

    def _usage(self, out: Path) -> Iterator[str]:
        chosen = [row for row in self.rows if row.weight]
        norms = ", ".join(f"{digits(row.norm)} (block {row.layer})" for row in chosen)
        own = quote(str(out))
        yield "```sh"
        yield (
            "sociolect eval --model sociolect-hf --model_args "
            f"pretrained=DIR,steering={own},beta=0.6 --tasks …"
        )
        if self.measured.material.kind == "dialect":
            given = "--model_args pretrained=DIR --pairs PAIRS --out SWEEP"
            yield f"sociolect steer sweep {own} {given}"
        else:
            control = quote(str(out / RANDOM))
            yield "# once Base, the steered model and its control have run (docs/finetuning.md):"
            yield f"sociolect finetune report RUNS --base MODEL --steered {own} --control {control}"
        yield f"sociolect steer export {own} --beta 0.6 --out vector.pt"
        yield "```\n"
        yield (
            "With `beta_scale=unit` and beta=1 a block is moved by its weight, so by 1 at most, "
            f"beside median norms of the residual stream of {norms}. With `beta_scale=residual` "
            "beta is relative to those norms. The controls (`single.safetensors`, `controls/`) are "
            "used in the same way; a vector that does no more than they do has shown nothing."
        )


def digits(number: float, least: int = 1) -> str:
    """With three digits that say something, and at least so many behind the point."""
    above = math.floor(math.log10(number)) if number > 0 else 0
    return f"{number:,.{max(least, 2 - above)}f}"


def _cells(row: LayerRow) -> tuple[Cell, ...]:
    steered = row.weight > 0
    return (
        Cell(str(row.layer), "*" if steered else "", bold=steered),
        Cell(f"{row.effect:+.4f}"),
        Cell(_NONE if math.isnan(row.low) else f"[{row.low:+.4f}, {row.high:+.4f}]"),
        Cell(_NONE if math.isnan(row.top_share) else f"{row.top_share:.0%}"),
        Cell(f"{row.weight:.3f}" if steered else ""),
        Cell(_NONE if math.isnan(row.stability) else f"{row.stability:.2f}"),
        Cell(digits(row.norm)),
        Cell(digits(row.share, 4) if steered else ""),
    )


def _plain(row: LayerRow, chosen: bool) -> dict[str, Any]:
    values = {**asdict(row), "weight_over_norm": row.share}
    return {**{k: None if v != v else v for k, v in values.items()}, "chosen": chosen}


def _how(said: Mapping[str, Any]) -> dict[str, Any]:
    traced = {k: said["tracing"][k] for k in ("method", "sites", "draws", "alpha", "sigma", "seed")}
    return {
        **{f"tracing, {name}": value for name, value in traced.items()},
        "adapter": (said["adapter"] or {"name": "none"})["name"],
        "dtype": said["dtype"],
        "seed": said["seed"],
        "versions": said["versions"],
    }


def _list(values: Mapping[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        line = f"{name.replace('_', ' ')}: {_plainly(value)}"
        yield f"- {escape_markdown(line)}"


def _plainly(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plainly(one)}" for name, one in value.items())
    return str(value)

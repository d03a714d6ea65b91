"""`sociolect build`: variants of benchmarks as folders of dataset configs."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from sociolect.generators.conditions import Condition
    from sociolect.generators.grid import Built


def build(
    benchmark: Annotated[
        str,
        typer.Argument(
            help="A name, e.g. winobias or bbq_gender; or 'all', a glob ('bbq_*'), or a "
            "comma-separated list of these: then --out gets one folder for each benchmark."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder to make, or to add configs to.")],
    transform: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated learner errors (l2: all four types; l2det, l2prep, l2verb, "
            "l2spell) and surface noise (typo, informal, punct, colloquial, combined). Default: l2 "
            "for one benchmark (noise for judge items), all of them for several."
        ),
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated, per cent: token error rates of learner errors (5, 10, 20, 30), "
            "attempt probabilities of noise (10, 30, 50, 70, 100). Default: all."
        ),
    ] = None,
    part: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated: input, instruction, both. Default: input for one benchmark, all "
            "of them for several. Noise is always in the input."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Error seed.")] = 0,
    rules: Annotated[str, typer.Option(help="Of learner errors: paper or careful.")] = "paper",
    noise_draws: Annotated[
        str,
        typer.Option(
            help="Of noise: independent, or shared (the parts of combined fall on the same tokens)."
        ),
    ] = "independent",
    protect_names: Annotated[
        bool,
        typer.Option(help="Of fable: build fable_protected, whose names no noise touches."),
    ] = False,
    sources: Annotated[
        Path | None,
        typer.Option(
            help="Local folder of the source files (else SOCIOLECT_SOURCES, else download)."
        ),
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes; the output does not depend on it.")] = 1,
    skip_unreachable: Annotated[
        bool,
        typer.Option(
            help="List levels above the ceiling in the manifest instead of stopping; always so "
            "for several benchmarks."
        ),
    ] = False,
    overwrite: Annotated[bool, typer.Option(help="Replace an earlier build in --out.")] = False,
) -> None:
    """Build variants of benchmarks: one config per condition, and the clean one.

    An interrupted build goes on where it stopped, and configs that are finished are kept.
    """
    from sociolect.generators.benchmarks import BENCHMARKS, matching
    from sociolect.generators.noise.options import NoiseOptions

    _refuse_pairs(benchmark)
    benchmark = _with_names_protected(benchmark) if protect_names else benchmark
    several = benchmark not in BENCHMARKS
    chosen = matching(benchmark)
    wanted = _conditions(benchmark, several, transform, level, part)
    common: dict[str, Any] = {
        "seed": seed,
        "rules": rules,
        "noise": NoiseOptions(draws=noise_draws),
        "sources": sources,
        "workers": workers,
        "overwrite": overwrite,
        "progress": True,
    }
    if several:
        _build_grid(chosen, wanted, out, common)
    else:
        _build_one(benchmark, wanted, out, common | {"skip_unreachable": skip_unreachable})


def _refuse_pairs(benchmark: str) -> None:
    from sociolect.generators.dialect.pairs import BENCHMARK
    from sociolect.generators.errors import InvalidInputError

    if benchmark == BENCHMARK:
        raise InvalidInputError(
            f"{BENCHMARK} is no benchmark that gets errors, but pairs of dialects: build them with "
            "`sociolect dialect build PAIRS --out DIR`"
        )


def _with_names_protected(benchmark: str) -> str:
    from sociolect.generators.errors import InvalidInputError

    if benchmark not in ("fable", "fable_protected"):
        raise InvalidInputError(
            f"--protect-names is for fable, whose names are known, not for {benchmark}: there the "
            "people of an item are protected anyway"
        )
    return "fable_protected"


def _conditions(
    benchmark: str, several: bool, transform: str | None, level: str | None, part: str | None
) -> "tuple[Condition, ...]":
    """The conditions that the options name; by default those that fit the benchmark."""
    from sociolect.generators.conditions import (
        JUDGED,
        LEVELS,
        NOISE_LEVELS,
        NOISES,
        PARTS,
        TRANSFORMS,
        conditions,
    )
    from sociolect.harness.commands._arguments import levels, names

    every = (*TRANSFORMS, *NOISES)
    default = every if several else NOISES if benchmark in JUDGED else ("l2",)
    chosen = names(transform) if transform else default
    if part and "input" not in names(part) and (noise := [n for n in chosen if n in NOISES]):
        typer.echo(f"sociolect: {', '.join(noise)}: noise is always in the input", err=True)
    return conditions(
        chosen,
        levels(level) if level else (*LEVELS, *NOISE_LEVELS),
        names(part or (",".join(PARTS) if several else "input")),
    )


def _build_one(
    benchmark: str, wanted: "Sequence[Condition]", out: Path, common: dict[str, Any]
) -> None:
    from rich.console import Console

    from sociolect.generators.build import build
    from sociolect.harness.manifest_table import manifest_table

    manifest = build(benchmark, wanted, out=out, **common)
    Console(emoji=False).print(manifest_table(manifest))
    shown = [c.config_name for c in wanted if c.config_name in manifest["configs"]][-1]
    typer.echo(f'Load one with datasets.load_dataset("{out}", "{shown}").')


def _build_grid(
    benchmarks: Sequence[str], wanted: "Sequence[Condition]", out: Path, common: dict[str, Any]
) -> None:
    from rich.console import Console

    from sociolect.generators.grid import build_grid
    from sociolect.harness.manifest_table import grid_table

    results = list(_announced(build_grid(benchmarks, wanted, out=out, **common), benchmarks))
    Console(emoji=False).print(grid_table(results))
    failures = [result.error for result in results if result.error]
    if failures:
        raise failures[0]
    typer.echo(f"Score models on them with SOCIOLECT_DATA={out}.")


def _announced(results: "Iterator[Built]", benchmarks: Sequence[str]) -> "Iterator[Built]":
    """Say what is being built, since one progress bar follows the other."""
    for number, benchmark in enumerate(benchmarks, start=1):
        typer.echo(f"{benchmark} ({number} of {len(benchmarks)})", err=True)
        result = next(results)
        if result.error:
            typer.echo(f"sociolect: {benchmark}: {result.error}", err=True)
        yield result

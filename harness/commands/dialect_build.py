"""`sociolect dialect build`: pairs as a folder that is checked, scored and published."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sociolect.generators.layout import DATA_VERSION
from sociolect.harness.commands.dialect_corpus import ColumnOption

if TYPE_CHECKING:
    from sociolect.generators.dialect.build import Segmenter
    from sociolect.generators.dialect.folder import Built
    from sociolect.generators.dialect.pair_files import PairFile
    from sociolect.generators.dialect.pairs import DialectPair, Segmented
    from sociolect.generators.dialect.places import Rules
    from sociolect.generators.dialect.splits import Sizes

SourcesOption = Annotated[
    Path | None,
    typer.Option(help="Local folder of the source files (else SOCIOLECT_SOURCES, else download)."),
]
OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Replace a folder of pairs in --out.")
]


def build(
    pairs: Annotated[
        str,
        typer.Argument(metavar="PAIRS", help="A file of pairs, or redial or habitual."),
    ],
    out: Annotated[Path, typer.Option(help="Folder to make.")],
    column: ColumnOption = None,
    segment: Annotated[
        bool | None,
        typer.Option(
            help="Divide the texts into context and continuation. Default: yes, but for habitual."
        ),
    ] = None,
    encoder: Annotated[
        str, typer.Option(help="Sentence encoder: a folder, or a name on the Hub.")
    ] = "",
    aligner: Annotated[
        str, typer.Option(help="Encoder that aligns words: a folder, or a name on the Hub.")
    ] = "",
    encoder_revision: Annotated[str, typer.Option(help="Commit, tag or branch on the Hub.")] = "",
    aligner_revision: Annotated[str, typer.Option(help="Commit, tag or branch on the Hub.")] = "",
    rho: Annotated[float, typer.Option(help="Ideal share of the text before the boundary.")] = 0.5,
    gamma: Annotated[float, typer.Option(help="Weight of the distance from it.")] = 0.3,
    cache: Annotated[
        Path | None, typer.Option(help="Folder that divided pairs are kept in. Default: the cache.")
    ] = None,
    tracing: Annotated[int | None, typer.Option(help="Pairs for causal tracing.")] = None,
    direction: Annotated[int | None, typer.Option(help="Pairs for the dialect direction.")] = None,
    selection: Annotated[int | None, typer.Option(help="Pairs for choosing a strength.")] = None,
    evaluation: Annotated[int | None, typer.Option(help="Held-out pairs, reported.")] = None,
    no_splits: Annotated[
        bool, typer.Option("--no-splits", help="Put the pairs into no splits.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Another one gives other splits.")] = 0,
    licence: Annotated[
        str, typer.Option(help="SPDX identifier under which you may publish the texts.")
    ] = "",
    withhold_aae: Annotated[
        bool, typer.Option("--withhold-aae", help="Leave the AAE texts out of the folder.")
    ] = False,
    data_version: Annotated[
        str,
        typer.Option(help="Version of these pairs, X.Y.Z; raise it when published ones change."),
    ] = DATA_VERSION,
    sources: SourcesOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Build pairs into a folder: splits, context and continuation, manifest and card.

    With fewer pairs than the splits want, all sizes shrink. A build that was stopped while texts
    were divided goes on where it was.
    """
    from sociolect.generators.dialect.build import build as build_folder
    from sociolect.generators.dialect.build import is_habitual
    from sociolect.generators.dialect.corpora import load_pairs
    from sociolect.generators.dialect.folder import check_vacant
    from sociolect.generators.dialect.places import Rules
    from sociolect.harness.commands._output import say
    from sociolect.harness.commands.dialect_corpus import parsed_columns
    from sociolect.harness.commands.dialect_segment import listing_unlike

    columns = parsed_columns(column or [])
    check_vacant(out, overwrite=overwrite)
    file = load_pairs(pairs, sources, columns)
    wanted = {
        "tracing": tracing,
        "direction": direction,
        "selection": selection,
        "evaluation": evaluation,
    }
    models = {
        "encoder": encoder,
        "aligner": aligner,
        "encoder_revision": encoder_revision,
        "aligner_revision": aligner_revision,
    }
    sizes = _sizes(file, wanted, no_splits=no_splits)
    if is_habitual(file):
        say(["these pairs are of three words: they are for directions only"])
    wants_segments = not is_habitual(file) if segment is None else segment
    rules = {"rho": rho if rho != 0.5 else "", "gamma": str(gamma) if gamma != 0.3 else ""}
    given = {**models, "cache": cache, **rules}
    say(_unused(pairs, sources, () if wants_segments else [o for o, v in given.items() if v]))
    built = build_folder(
        file,
        out,
        sizes=sizes,
        seed=seed,
        segmenter=_segmenter(Rules(rho, gamma), models, cache) if wants_segments else None,
        licence=licence,
        withheld=withhold_aae,
        columns=columns,
        overwrite=overwrite,
        data_version=data_version,
    )
    say(built.manifest["notes"])
    say(_warnings(built))
    print_counts(built)
    say(_unlike(built, listing_unlike(pairs, column or [], {**given, "sources": sources})))
    typer.echo(_next_step(built, out))


def _unused(pairs: str, sources: Path | None, segmenting: Sequence[str]) -> Iterator[str]:
    """Options that were given and decide nothing."""
    from sociolect.harness.commands.dialect_corpus import unused_sources

    yield from unused_sources(pairs, sources)
    if segmenting:
        options = ", ".join(f"--{option.replace('_', '-')}" for option in segmenting)
        yield f"the texts are not divided: {options} is not used"


def _warnings(built: "Built") -> Iterator[str]:
    """Why a folder may not be published."""
    from sociolect.generators.dialect.withheld import FEWEST_WITHHELD

    if built.is_withheld and len(built.rows) < FEWEST_WITHHELD:
        yield (
            f"fewer than {FEWEST_WITHHELD} pairs: this folder is not published without its AAE "
            "texts, for the hash of a few short texts can be found by trying"
        )


def _unlike(built: "Built", command: str) -> Iterator[str]:
    """How many pairs have continuations that may hold different content."""
    from sociolect.generators.dialect.unlike import unlike_said

    if said := unlike_said(built.manifest["segmentation"]):
        yield said
        yield f"List them: {command}"


def _next_step(built: "Built", out: Path) -> str:
    """What the folder is good for."""
    if built.is_withheld:
        return "The AAE texts were left out: `sociolect dialect restore` puts them back."
    splits = [row["split"] for row in built.rows]
    asked = splits.count("evaluation") if any(splits) else len(splits)
    if not asked:
        return f"{out} holds no pair for evaluation: no task asks these."
    shown = f"Score models on {asked} of the {len(splits)} pairs with SOCIOLECT_AAE={out}"
    if built.manifest["segmentation"] is None:
        shown += "; only aae_sentiment, as no text was divided"
    if asked < len(splits):
        shown += (
            ". These are the split evaluation; the others are for steering. Who only audits builds "
            "with --no-splits: then all pairs are asked"
        )
    return f"{shown}."


def _sizes(file: "PairFile", wanted: dict[str, int | None], *, no_splits: bool) -> "Sizes | None":
    """The sizes asked for, the usual ones for the others.

    Raises:
        InvalidInputError: Sizes, but no splits.
    """
    from sociolect.generators.dialect.build import usual_sizes
    from sociolect.generators.errors import InvalidInputError

    asked = {split: n for split, n in wanted.items() if n is not None}
    if no_splits and asked:
        raise InvalidInputError(f"--no-splits, but --{next(iter(asked))} asks for one; leave one")
    return None if no_splits else replace(usual_sizes(file), **asked)


def _segmenter(rules: "Rules", models: dict[str, str], cache: Path | None) -> "Segmenter":
    """What divides pairs; a model that is not named is the usual one."""
    from sociolect.generators.dialect.build import Segmenter
    from sociolect.harness.dialect.segmenting import PairSegmenter, SegmentSettings

    named: dict[str, Any] = {option: name for option, name in models.items() if name}
    worker = PairSegmenter(replace(SegmentSettings(rules=rules), **named), cache)

    def run(pairs: "Sequence[DialectPair]") -> "list[Segmented]":
        try:
            return worker.run(pairs)
        except (KeyboardInterrupt, SystemExit):
            typer.echo(
                "sociolect: stopped; pairs that are divided are kept, and the same command goes on "
                "from there",
                err=True,
            )
            raise

    return Segmenter(run, worker.settings)


def print_counts(built: "Built") -> None:
    """What became of the pairs."""
    from rich.console import Console

    from sociolect.harness.commands.dialect_corpus import counts_table

    table = counts_table(f"Pairs of {built.manifest['name']}", _counts(built))
    Console(emoji=False, markup=False, highlight=False).print(table)


def _counts(built: "Built") -> Iterator[tuple[str, int]]:
    from collections import Counter

    from sociolect.generators.dialect.card import counts, in_order, unassigned

    manifest = built.manifest
    yield "pairs", len(built.rows)
    if built.is_withheld:
        from sociolect.generators.dialect.withheld import DERIVED

        left_out = manifest["withheld"]
        yield from ((f"{c} left out: an AAE text word for word", left_out[c]) for c in DERIVED)
    dropped = Counter(one["reason"] for one in manifest["dropped"])
    yield from ((f"left out: {reason}", n) for reason, n in dropped.most_common())
    yield from ((f"split {name}", n) for name, n in in_order(manifest["splits"]))
    yield "in no split", unassigned(manifest)
    for reason, n in counts(manifest):
        yield (reason if reason == "segmented" else f"not segmented: {reason}"), n
    if manifest["segmentation"] is None:
        yield "segmented", 0

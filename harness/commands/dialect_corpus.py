"""`sociolect dialect filter` and `sociolect dialect split`: texts kept, pairs put into splits."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from sociolect.generators.dialect.corpus_filter import Filtered

ColumnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="FIELD=COLUMN",
        help="Column of a field of a pair (id, aae, sae, aae_back, naturalness, split, group) "
        "where it has another name; FIELD= for none. May be given several times.",
    ),
]


def filter_command(
    source: Annotated[
        Path,
        typer.Argument(metavar="IN", help="Tweets: .jsonl, .csv, .tsv, .parquet, or .txt."),
    ],
    out: Annotated[
        Path, typer.Option(help="File to make, ….jsonl, of id and aae, and group if it is known.")
    ],
    id_column: Annotated[str, typer.Option(help="Column of the ids.")] = "id",
    text_column: Annotated[str, typer.Option(help="Column of the texts.")] = "text",
    group_column: Annotated[
        str | None,
        typer.Option(
            help="Column of what keeps tweets in one split, such as the author. Default: group, if "
            "there is one."
        ),
    ] = None,
    min_words: Annotated[int, typer.Option(help="Fewest words, counted after cleaning.")] = 10,
    clean: Annotated[
        str,
        typer.Option(
            help="strip: remove mentions, URLs, e-mail addresses, phone numbers and characters "
            "beyond ASCII; drop: leave out the texts that have them."
        ),
    ] = "strip",
) -> None:
    """Keep the tweets that can become pairs: at least 10 words, ASCII, no mentions, no URLs."""
    from sociolect.generators.dialect.corpus_filter import filter_file
    from sociolect.harness.commands._output import check_outputs, say

    check_outputs([source], {"--out": out})
    found = filter_file(
        source,
        out,
        id_column=id_column,
        text_column=text_column,
        group_column=group_column,
        min_words=min_words,
        clean=clean,
    )
    say(_not_read(found))
    rows = [("read", found.read)]
    rows += [(f"left out: {reason}", n) for reason, n in found.dropped.most_common()]
    rows.append(("kept", found.kept))
    rows += [(f"  of them without their {what}", n) for what, n in found.cleaned.most_common()]
    rows += [("  of them rewritten in ASCII", found.rewritten)] if found.rewritten else []
    rows += [("  of them with a group", found.grouped)] if found.grouped else []
    _print(counts_table("Tweets", rows))
    typer.echo(f"wrote {out}", err=True)


def _not_read(found: "Filtered") -> Iterator[str]:
    """A note on the columns that might have said whose the tweets are, if no group was read."""
    from sociolect.generators.dialect.tables import listed

    if found.unread and not found.grouped:
        yield (
            f"not read: {listed(found.unread)} (--group-column COLUMN keeps the tweets of one "
            "author in one split)"
        )


def split_command(
    pairs: Annotated[
        str, typer.Argument(metavar="PAIRS", help="A file of pairs, or redial or habitual.")
    ],
    out: Annotated[Path, typer.Option(help="File to make, ….jsonl.")],
    tracing: Annotated[int, typer.Option(help="Pairs for causal tracing.")] = 1200,
    direction: Annotated[int, typer.Option(help="Pairs for the dialect direction.")] = 7000,
    selection: Annotated[int, typer.Option(help="Pairs for choosing a strength.")] = 1000,
    evaluation: Annotated[int, typer.Option(help="Held-out pairs that are reported.")] = 3000,
    seed: Annotated[int, typer.Option(help="Another one gives other splits.")] = 0,
    column: ColumnOption = None,
    sources: Annotated[
        Path | None,
        typer.Option(
            help="Local folder of the source files (else SOCIOLECT_SOURCES, else download)."
        ),
    ] = None,
) -> None:
    """Put pairs into disjoint splits. With fewer pairs than wanted, all sizes shrink.

    Pairs that no split has room for are counted, and are not in the new file.
    """
    from sociolect.generators.dialect.corpora import CORPORA, load_pairs
    from sociolect.generators.dialect.features import find_features
    from sociolect.generators.dialect.pair_files import write_pairs
    from sociolect.generators.dialect.splits import Sizes, assign_splits
    from sociolect.harness.commands._output import check_outputs, say

    if pairs not in CORPORA:
        check_outputs([Path(pairs)], {"--out": out})
    loaded = load_pairs(pairs, sources, parsed_columns(column or []))
    say(unused_sources(pairs, sources))
    say(loaded.notes)
    say(f"left out: {one.where}: {one.reason}" for one in loaded.dropped)
    assigned = assign_splits(
        loaded.pairs,
        Sizes(tracing, direction, selection, evaluation),
        seed,
        has_feature=lambda pair: bool(find_features(pair.aae)),
    )
    say(assigned.notes)
    write_pairs((pair for pair in assigned.pairs if pair.split), out)
    _print(counts_table("Pairs", split_rows(assigned.counts, len(loaded.dropped))))
    typer.echo(f"wrote {out}", err=True)


def unused_sources(pairs: str, sources: Path | None) -> Iterator[str]:
    """A note on --sources beside a file, which is read from where it lies."""
    from sociolect.generators.dialect.corpora import CORPORA

    if sources is not None and pairs not in CORPORA:
        yield f"{pairs} is a file: --sources, which is for {' and '.join(CORPORA)}, is not used"


def split_rows(counts: Mapping[str, int], dropped: int) -> list[tuple[str, int]]:
    """What became of pairs, for a table."""
    from sociolect.generators.dialect.splits import UNUSED

    return [
        *((name, n) for name, n in counts.items() if name != UNUSED),
        ("in no split (not written)", counts[UNUSED]),
        ("left out: a side empty, or both the same", dropped),
    ]


def parsed_columns(given: Iterable[str]) -> dict[str, str]:
    """Columns by field, from `FIELD=COLUMN`.

    Raises:
        InvalidInputError: Something else, or a field twice.
    """
    from sociolect.generators.errors import InvalidInputError

    columns: dict[str, str] = {}
    for text in given:
        field, sign, name = text.partition("=")
        if not sign or field in columns:
            why = "a field twice" if sign else "no FIELD=COLUMN, e.g. aae=tweet"
            raise InvalidInputError(f"--column {text}: {why}.")
        columns[field] = name
    return columns


def counts_table(title: str, rows: Iterable[tuple[str, int]]) -> "Table":
    """Counts with thousands separators."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title)
    table.add_column("")
    table.add_column("n", justify="right")
    for name, n in rows:
        table.add_row(Text(name), f"{n:,}")
    return table


def _print(table: "Table") -> None:
    from rich.console import Console

    Console(emoji=False, markup=False, highlight=False).print(table)

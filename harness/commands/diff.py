"""`sociolect diff`: what changed between two versions of a dataset?"""

from typing import Annotated

import typer

_FORMATS = ("table", "json")
_DATASET = "A folder, or org/name[@revision] on the Hub."


def diff(
    before: Annotated[str, typer.Argument(metavar="A", help=_DATASET)],
    after: Annotated[str, typer.Argument(metavar="B", help=_DATASET)],
    show: Annotated[int, typer.Option(help="Changed texts to show of each config.")] = 5,
    output_format: Annotated[str, typer.Option("--format", help="table or json.")] = "table",
) -> None:
    """Compare two versions of a dataset: exit code 0 if equal, 1 if different, 2 on error."""
    from rich.console import Console

    from sociolect.generators.dialect.folder import is_dialect
    from sociolect.generators.dialect.pair_diff import compare_pairs
    from sociolect.generators.version_diff import compare_versions
    from sociolect.harness.commands._checks import check_format, trouble
    from sociolect.harness.datasets_at import dataset_at
    from sociolect.harness.version_report import render_json, rendered

    with trouble():
        check_format(output_format, _FORMATS)
        located = dataset_at(before), dataset_at(after)
        pairs = any(is_dialect(one.folder) for one in located)
        compare = compare_pairs if pairs else compare_versions
        found = compare(located[0].folder, located[1].folder, show=show)
    if output_format == "json":
        typer.echo(render_json(before, after, found), nl=False)
    else:
        console = Console(emoji=False, markup=False, highlight=False)
        for line in rendered(before, after, found):
            console.print(line, soft_wrap=True)
    if not found.is_equal:
        raise typer.Exit(1)

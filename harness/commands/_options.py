"""Options that several commands share: of models, and of what is done with finished runs."""

from pathlib import Path
from typing import Annotated

import typer

ModelArgs = Annotated[
    str,
    typer.Option(
        "--model_args",
        "--model-args",
        help="Its arguments, as for lm_eval: pretrained=DIR,dtype=bfloat16, or JSON.",
    ),
]
Format = Annotated[
    str,
    typer.Option("--format", help="table, md, csv, json or tex. Default: by --out, else table."),
]
Out = Annotated[Path | None, typer.Option("--out", help="Write to this file.")]
Alpha = Annotated[
    float, typer.Option(help="Level of the tests, 1e-6 or more; the interval covers 1 - alpha.")
]
Permutations = Annotated[
    int, typer.Option(help="Sign flips of the randomisation test, at most 10 million.")
]
Seed = Annotated[int, typer.Option(help="Of the sign flips and of the bootstrap.")]
Strict = Annotated[
    bool, typer.Option("--strict", help="Read the answers again: bare boxed letters only.")
]
AllPairs = Annotated[
    bool, typer.Option("--all-pairs", help="Keep pairs that are not valid counterfactuals.")
]
Allow = Annotated[
    list[str] | None,
    typer.Option("--allow", help="Accept a difference between runs, by its name in the error."),
]

"""`sociolect steer votes`."""

from pathlib import Path
from typing import Annotated

import typer

from sociolect.harness.commands._options import Format, Out


def votes_command(
    sweeps: Annotated[
        list[Path],
        typer.Argument(
            metavar="SWEEP...", help="Folders of `sociolect steer sweep`, one a model, same pairs."
        ),
    ],
    output_format: Format = "",
    out: Out = None,
) -> None:
    """Count, for each item, the models that prefer its SAE continuation before and after steering.

    In the AAE context, as in App. C.5 of the dialect paper.
    """
    from sociolect.harness.commands._output import TABLE_FORMATS, chosen_format, emit, render_sheets
    from sociolect.harness.exports import csv_text, json_text
    from sociolect.harness.steering.sweep_votes import read_voters, vote_sheets, votes
    from sociolect.harness.steering.sweep_votes_files import TEXTS

    chosen = chosen_format(output_format, out, TABLE_FORMATS)
    voters = read_voters(sweeps)
    found = votes(voters)
    records = [one.record() for one in found]
    if chosen == "csv":
        text = csv_text(records, ("id", "before", "after", "models", *TEXTS))
    elif chosen == "json":
        models = [
            {"model": one.pretrained, "revision": one.revision, "peft": one.peft,
             "beta": one.beta, "beta_scale": one.scale, "items": len(one.items)}
            for one in voters
        ]  # fmt: skip
        text = json_text(
            {"schema": "sociolect.steer_votes", "schema_version": 2, "models": models,
             "pairs_sha256": voters[0].data, "items": records}
        )  # fmt: skip
    else:
        text = render_sheets(vote_sheets(voters, found), [], chosen, to_file=out is not None)
    emit(text, out)

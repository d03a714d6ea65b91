"""`sociolect steer`: steering vectors, from fitting to use."""

import typer

from sociolect.harness.commands.steer_export import export_command
from sociolect.harness.commands.steer_fit import fit_command
from sociolect.harness.commands.steer_sweep import sweep_command
from sociolect.harness.commands.steer_votes import votes_command

steer = typer.Typer(
    help="Steering vectors (dialect paper, §4.3): fitted, swept, exported.",
    no_args_is_help=True,
)
steer.command("fit")(fit_command)
steer.command("sweep")(sweep_command)
steer.command("votes")(votes_command)
steer.command("export")(export_command)

"""`sociolect finetune`: error-aware fine-tuning, from training data to the comparison."""

import typer

from sociolect.harness.commands.finetune_prepare import prepare_command
from sociolect.harness.commands.finetune_report import report_command
from sociolect.harness.commands.finetune_train import train_command

finetune = typer.Typer(
    help="Error-aware fine-tuning (learner-error paper, §4.6): data, two adapters, comparison.",
    no_args_is_help=True,
)
finetune.command("prepare")(prepare_command)
finetune.command("train")(train_command)
finetune.command("report")(report_command)

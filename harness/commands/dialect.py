"""`sociolect dialect`: how a model treats African American and Standard American English."""

import typer

from sociolect.harness.commands.dialect_build import build
from sociolect.harness.commands.dialect_corpus import filter_command, split_command
from sociolect.harness.commands.dialect_features import features
from sociolect.harness.commands.dialect_report import report
from sociolect.harness.commands.dialect_restore import restore
from sociolect.harness.commands.dialect_segment import segment
from sociolect.harness.commands.dialect_translate import translate
from sociolect.harness.commands.dialect_validate import validate

dialect = typer.Typer(
    help="Parallel AAE and SAE text, and how a model treats the two.", no_args_is_help=True
)
dialect.command("filter")(filter_command)
dialect.command("translate")(translate)
dialect.command("validate")(validate)
dialect.command("split")(split_command)
dialect.command("segment")(segment)
dialect.command("features")(features)
dialect.command("build")(build)
dialect.command("restore")(restore)
dialect.command("report")(report)

"""The `sociolect` command."""

from __future__ import annotations

import io
import signal
import sys

import typer

from sociolect import __version__
from sociolect.generators.errors import SociolectError
from sociolect.harness.commands.analyse import analyse
from sociolect.harness.commands.build import build
from sociolect.harness.commands.compare import compare
from sociolect.harness.commands.demo import demo
from sociolect.harness.commands.dialect import dialect
from sociolect.harness.commands.diff import diff
from sociolect.harness.commands.eval import EVAL_CONTEXT, evaluate
from sociolect.harness.commands.fable import fable
from sociolect.harness.commands.finetune import finetune
from sociolect.harness.commands.flips import flips
from sociolect.harness.commands.gate import gate
from sociolect.harness.commands.index import index
from sociolect.harness.commands.inject import inject
from sociolect.harness.commands.leaderboard import leaderboard
from sociolect.harness.commands.noise import noise
from sociolect.harness.commands.publish import publish
from sociolect.harness.commands.register import register, unregister
from sociolect.harness.commands.steer import steer
from sociolect.harness.commands.sweep import sweep_command
from sociolect.harness.commands.tasks import tasks
from sociolect.harness.commands.tasks_path import tasks_path
from sociolect.harness.commands.validate import validate
from sociolect.harness.commands.verify import verify

app = typer.Typer(
    name="sociolect",
    help="Social bias of language models under English that is not edited Standard English.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sociolect {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    """Social bias of language models under English that is not edited Standard English."""


app.add_typer(analyse, name="analyse")
app.command("build")(build)
app.command("compare")(compare)
app.command("demo")(demo)
app.add_typer(dialect, name="dialect")
app.command("diff")(diff)
app.command("eval", context_settings=EVAL_CONTEXT, add_help_option=False)(evaluate)
app.add_typer(fable, name="fable")
app.add_typer(finetune, name="finetune")
app.command("flips")(flips)
app.command("gate")(gate)
app.command("index")(index)
app.command("inject")(inject)
app.command("leaderboard")(leaderboard)
app.command("noise")(noise)
app.command("publish")(publish)
app.command("register")(register)
app.add_typer(steer, name="steer")
app.command("sweep")(sweep_command)
app.command("tasks")(tasks)
app.command("tasks-path")(tasks_path)
app.command("unregister")(unregister)
app.command("validate")(validate)
app.command("verify")(verify)


def main() -> None:
    """Run the command line; a `SociolectError` becomes one message and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that knows no é still gets the rest
            stream.reconfigure(errors="backslashreplace")
    # Like Ctrl-C: unfinished folders go, worker processes end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        app()
    except SociolectError as error:
        typer.echo(f"sociolect: error: {error}", err=True)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()

"""`sociolect eval`."""

import typer

EVAL_CONTEXT = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Every argument, `--help` included, goes to lm_eval's own parser."""


def evaluate(context: typer.Context) -> None:
    """Run tasks with lm_eval (its own arguments)."""
    from sociolect.harness.evaluate import run

    run(context.args)

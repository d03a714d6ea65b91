"""`sociolect tasks-path`."""

import typer


def tasks_path() -> None:
    """Print the folder for `lm_eval --include_path`."""
    from sociolect.tasks.paths import tasks_path as folder

    typer.echo(str(folder()))

"""`sociolect register` and `sociolect unregister`."""

import typer


def register(
    status: bool = typer.Option(False, "--status", help="Say what is registered; change nothing."),
) -> None:
    """Make the bare `lm_eval` find the tasks."""
    from sociolect.harness.register import lm_eval_tasks, register, registered

    target = lm_eval_tasks()
    if not status:
        typer.echo("Checking the names against lm_eval's own tasks (about ten seconds) …", err=True)
    typer.echo((registered(target) if status else register(target)).describe())


def unregister() -> None:
    """Undo `register`; exit code 1 if something is left that is not as it was written."""
    from sociolect.harness.register import lm_eval_tasks, unregister

    status = unregister(lm_eval_tasks())
    typer.echo(status.describe())
    if status.state != "absent":
        raise typer.Exit(1)

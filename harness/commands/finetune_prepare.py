"""`sociolect finetune prepare`: the training set of the error-aware fine-tuning."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sociolect.harness.commands._options import ModelArgs

if TYPE_CHECKING:
    from rich.table import Table

    from sociolect.harness.run_options import RunOptions
    from sociolect.steering.lora.targets import Limits


def prepare_command(
    model: Annotated[
        str, typer.Option(help="Model backend: sociolect-vllm, sociolect-hf, or one of lm_eval's.")
    ],
    model_args: ModelArgs,
    out: Annotated[Path, typer.Option(help="Folder to make.")],
    items: Annotated[int, typer.Option(help="Items; each gives two prompts.")] = 5000,
    completions: Annotated[int, typer.Option(help="Completions sampled for each prompt.")] = 3,
    form: Annotated[str, typer.Option(help="Answer form: reason or direct.")] = "reason",
    levels: Annotated[
        str, typer.Option(help="Comma-separated error levels in per cent, drawn per item.")
    ] = "5,10,20,30",
    seed: Annotated[
        int,
        typer.Option(help="Of items, levels and errors; of the sampling if the model takes it."),
    ] = 0,
    max_tokens: Annotated[
        int | None, typer.Option(help="Longest completion. Default: 1024, for direct 16.")
    ] = None,
    temperature: Annotated[float, typer.Option(help="Of the sampling.")] = 0.7,
    top_p: Annotated[float, typer.Option(help="Of the sampling.")] = 0.9,
    min_chars: Annotated[
        int | None, typer.Option(help="Shortest target. Default: 80, for direct no limit.")
    ] = None,
    max_chars: Annotated[
        int | None, typer.Option(help="Longest target. Default: 4000, for direct no limit.")
    ] = None,
    max_repeated: Annotated[
        float | None,
        typer.Option(
            help="Highest share of a target that repeats itself. Default: 0.5, for direct no limit."
        ),
    ] = None,
    chat_template: Annotated[
        bool, typer.Option("--chat-template", help="Ask with the model's chat template.")
    ] = False,
    sources: Annotated[
        Path | None,
        typer.Option(
            help="Local folder of the source files (else SOCIOLECT_SOURCES, else download)."
        ),
    ] = None,
) -> None:
    """Make a training set: prompts without and with errors, and the model's own answers to them.

    An interrupted run of sociolect-vllm or sociolect-hf goes on where it stopped.
    """
    from sociolect.harness.commands._arguments import levels as parse_levels
    from sociolect.steering.lora.prepare_settings import MAX_TOKENS, Settings

    settings = Settings(
        items=items,
        completions=completions,
        form=form,
        levels=tuple(parse_levels(levels)),
        seed=seed,
        max_tokens=MAX_TOKENS.get(form, 1) if max_tokens is None else max_tokens,
        temperature=temperature,
        top_p=top_p,
        limits=_limits(form, min_chars, max_chars, max_repeated),
        chat_template=chat_template,
    )
    _prepare(model, _model_arguments(model, model_args, out, seed), settings, out, sources)


def _limits(
    form: str, min_chars: int | None, max_chars: int | None, max_repeated: float | None
) -> "Limits":
    from dataclasses import replace

    from sociolect.steering.lora.targets import Limits

    given: dict[str, Any] = {
        "min_chars": min_chars,
        "max_chars": max_chars,
        "max_repeated": max_repeated,
    }
    return replace(Limits.of(form), **{k: v for k, v in given.items() if v is not None})


def _model_arguments(model: str, text: str, out: Path, seed: int) -> dict[str, Any]:
    """The arguments of the model; ours get a seed and a folder for answers unless they have one."""
    from lm_eval._cli.utils import key_val_to_dict, try_parse_json
    from lm_eval.api.registry import model_registry

    from sociolect.generators.errors import InvalidInputError, UnknownNameError
    from sociolect.generators.folders import resolved
    from sociolect.steering.backends.registry import BACKENDS, register_backends

    target = resolved(out)
    beside = target if out.name == ".." else out
    register_backends()
    if model not in model_registry:
        raise UnknownNameError("model backend", model, sorted(model_registry.keys()))
    try:
        parsed = try_parse_json(text)
        arguments = parsed if isinstance(parsed, dict) else key_val_to_dict(text)
    except ValueError as error:
        raise InvalidInputError(f"--model_args {text}: {error}") from error
    if model not in BACKENDS:
        return arguments
    if "pretrained" not in arguments:
        raise InvalidInputError("--model_args names no model: add pretrained=DIR_OR_ID")
    return {"seed": seed, "answers": str(beside.with_name(f"{beside.name}.answers")), **arguments}


def _prepare(
    model: str, arguments: Mapping[str, Any], settings: Any, out: Path, sources: Path | None
) -> None:
    from lm_eval.utils import setup_logging
    from rich.console import Console

    from sociolect.generators.benchmarks.winogrande import load_train
    from sociolect.harness.engine_errors import PREPARE, explained
    from sociolect.steering.backends.identity import model_identity
    from sociolect.steering.lora.prepare import prepare

    setup_logging()
    options = _checked(model, arguments)
    answers = _answers(arguments) if options.is_ours else None
    with _said_when_stopped(arguments):
        made, fresh = prepare(
            load_train(sources),
            settings,
            out=out,
            load_model=_loader(model, arguments),
            identity=model_identity(model, arguments),
            around_model=partial(explained, options, answers, PREPARE),
            progress=True,
        )
    if not fresh:
        typer.echo(f"already there: {out} is this training set", err=True)
    Console(emoji=False).print(prompts_table(made.manifest))
    for line in summary(made.manifest):
        typer.echo(line)
    typer.echo(f"Train on it with `sociolect finetune train {out}`.")


def _loader(model: str, arguments: Mapping[str, Any]) -> Callable[[], Any]:
    from sociolect.steering.backends.registry import BACKENDS, create_model

    def load() -> Any:
        if model not in BACKENDS:
            ours = " or ".join(BACKENDS)
            typer.echo(
                f"{model} keeps no answers: a run that stops begins anew ({ours} resume)", err=True
            )
        return create_model(model, arguments)

    return load


def _checked(model: str, arguments: Mapping[str, Any]) -> "RunOptions":
    """The arguments as those of a run; what cannot work is refused before any text is made."""
    from sociolect.generators.errors import InvalidInputError
    from sociolect.harness.backend_traps import adapter_trap, own_arguments_trap, tokenizer_trap
    from sociolect.harness.model_arguments import names_trap, values_trap
    from sociolect.harness.run_folders import check_writable
    from sociolect.harness.run_options import RunOptions

    options = RunOptions(
        model=model,
        model_args=arguments,
        batch_size=arguments.get("batch_size", 1),
        device=arguments.get("device"),
        environ=os.environ,
    )
    traps = (own_arguments_trap, names_trap, values_trap, adapter_trap, tokenizer_trap)
    found = [finding for trap in traps for finding in trap(options, ())]
    if refused := [one.message for one in found if one.severity == "refuse"]:
        raise InvalidInputError("\n  ".join(refused))
    for one in found:
        typer.echo(f"{one.severity}: {one.message}", err=True)
    if options.is_ours and (folder := _answers(arguments)):
        check_writable(folder)
    return options


def _answers(arguments: Mapping[str, Any]) -> Path | None:
    from sociolect.steering.backends.chunked import answers_folder

    return answers_folder(arguments.get("answers"))


@contextmanager
def _said_when_stopped(arguments: Mapping[str, Any]) -> Iterator[None]:
    """Say where finished answers lie if there is no training set in the end."""
    from sociolect.generators.errors import TrainingError

    try:
        yield
    except (KeyboardInterrupt, SystemExit, TrainingError):
        folder = _answers(arguments)
        if folder is not None and folder.is_dir():
            typer.echo(f"sociolect: finished answers stay in {folder} and are used again", err=True)
        raise


def prompts_table(manifest: Mapping[str, Any]) -> "Table":
    """What became of the prompts."""
    from rich.table import Table

    from sociolect.steering.lora.targets import REASONS

    prompts = manifest["prompts"]
    table = Table("prompts", "number", "%", title=f"Training set ({manifest['form']})")
    rows = {"kept": prompts["kept"]}
    rows |= {f"dropped: {REASONS[reason]}": n for reason, n in prompts["dropped"].items()}
    rows["asked"] = prompts["asked"]
    for name, number in rows.items():
        table.add_row(name, f"{number:,}", f"{100 * number / prompts['asked']:.1f}")
    return table


def summary(manifest: Mapping[str, Any]) -> list[str]:
    """Accuracy of the completions, error rates of the items, and what was kept of each level."""
    sampled, kept, drawn = manifest["completions"], manifest["kept"], manifest["error_rates"]
    total = sampled["sampled"]
    shares = (100 * sampled[name] / total for name in ("correct", "wrong", "unanswered"))
    lines = [
        "completions: {:,} sampled, {:.1f} % correct, {:.1f} % wrong, {:.1f} % unanswered".format(
            total, *shares
        ),
        f"items: {drawn['items']:,}, mean ε {100 * drawn['mean_error_rate']:.1f} %; of "
        f"{kept['items']:,} a prompt was kept",
    ]
    for level, own in drawn["by_level"].items():
        examples = kept["by_level"].get(level, {"examples": 0})["examples"]
        lines.append(
            f"level {level} %: {own['items']:,} items, mean ε "
            f"{100 * own['mean_error_rate']:.1f} %, {examples:,} examples"
        )
    orders = ", ".join(f"{n:,} in order {order}" for order, n in kept["by_order"].items())
    lines.append(f"examples: {orders}")
    if same := kept["prompts_without_an_error"]:
        lines.append(f"{same:,} examples drew no error: both their prompts are equal")
    if later := kept["boxed_another_option_after_the_cut"]:
        lines.append(f"{later:,} of their completions box another option after the cut")
    return lines

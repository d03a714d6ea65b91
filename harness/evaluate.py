"""`sociolect eval`: lm_eval's own command with our tasks known and its silent traps closed.

lm_eval's parser reads the arguments, lm_eval's `run` command runs them. Two of its names are
replaced while it runs, because no argument does the same: `TaskManager`, to hand over the
index that already exists (its own takes ten seconds), and `simple_evaluate`, to keep the
results that it prints and drops.
"""

from __future__ import annotations

import argparse
import copy
import io
import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError, MissingToolError, ResultsError
from sociolect.harness.provenance import own_cache, results_files, results_of, write_record
from sociolect.harness.requested import Requested, find_tasks, load_documents
from sociolect.harness.run_options import RunOptions
from sociolect.harness.run_reports import (
    report_cuts,
    report_one_sided,
    report_unanswered,
    say,
)
from sociolect.harness.traps import check

USAGE = "sociolect eval --model <model> --model_args <arg=value> … --tasks <task> … [options]"
ABOUT = """\
Runs lm_eval with the tasks of sociolect known: every argument below is lm_eval's own and keeps
its meaning (--include_path and --config too). Added: unknown task names are answered with near
matches, arguments that would silently spoil a run are refused or reported, --use_cache gets one
file per model and settings, and a run with --output_path leaves sociolect_<time>.json beside
its results."""
EXAMPLES = """\
examples:
  sociolect eval --model hf --model_args pretrained=DIR --tasks winobias_clean winobias_l2_30 \\
      --output_path results --log_samples
  sociolect eval --model vllm --model_args pretrained=DIR,max_model_len=4096 --tasks winobias_l2
  sociolect eval --model hf --model_args pretrained=DIR --tasks winobias_clean_ll --limit 20
"""
Documents = Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(slots=True)
class Kept:
    """What a run leaves for us.

    Attributes:
        results: lm_eval's results; None on all processes but the first.
        cuts: Its messages about prompts that it cut to fit the context of the model.
    """

    results: dict[str, Any] | None = None
    cuts: list[str] = field(default_factory=list)


def run(arguments: Sequence[str]) -> None:
    """Run `lm_eval run` with these arguments.

    Raises:
        UnknownNameError: A task that nobody knows.
        InvalidInputError: Arguments that lm_eval refuses, or that would spoil the run.
        ResultsError: The run ended, but lm_eval could not write its results.
    """
    parser = build_parser()
    if not arguments:
        parser.print_help(sys.stderr)
        raise SystemExit(2)
    namespace = parser.parse_args(list(arguments))
    config = merged_config(namespace)
    _start_logging()
    options = RunOptions.from_config(config, os.environ)
    requested = find_tasks(_specs(config.tasks), _folders(config.include_path), config.metadata)
    messages = _settle(options, requested)
    documents = load_documents(requested.tasks, config.metadata)
    _check_sample_numbers(options, documents)
    if requested.tasks and options.use_cache is not None:
        options = replace(options, use_cache=own_cache(options))
        messages.append(say("note", f"answers are cached in {options.use_cache}_rank*.db."))
    namespace.use_cache = options.use_cache
    namespace.include_path = requested.include_path
    before = results_files(options.output_path) if options.output_path else set()
    kept = _run_lm_eval(namespace, requested)
    if requested.tasks and kept.results is not None:
        messages += report_cuts(kept.cuts)
        report_unanswered(kept.results, requested.tasks)
        messages += report_one_sided(kept.results, requested.tasks)
        _record(kept.results, arguments, options, documents, before, messages)


def build_parser() -> argparse.ArgumentParser:
    """lm_eval's parser of its `run` command, under our name and with our help.

    Raises:
        MissingToolError: This lm_eval has no such parser.
    """
    try:
        from lm_eval._cli.run import Run
    except ImportError as error:
        raise MissingToolError(
            f"`sociolect eval` needs lm_eval 0.4.13 or a later 0.4 ({error}). Other versions run "
            'the tasks with `lm_eval --include_path "$(sociolect tasks-path)"`.'
        ) from error
    commands = argparse.ArgumentParser(prog="sociolect").add_subparsers()
    Run.create(commands)
    parser: argparse.ArgumentParser = commands.choices["run"]
    parser.prog = "sociolect eval"
    parser.usage, parser.description, parser.epilog = USAGE, ABOUT, EXAMPLES
    return parser


def merged_config(namespace: argparse.Namespace) -> Any:
    """lm_eval's `EvaluatorConfig` of these arguments, made without its messages.

    lm_eval makes it again, and speaks, when it runs.

    Raises:
        InvalidInputError: lm_eval refuses the arguments.
    """
    from lm_eval.config.evaluate_config import EvaluatorConfig

    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with redirect_stdout(io.StringIO()):
            return EvaluatorConfig.from_cli(copy.deepcopy(namespace))
    except (ValueError, TypeError, OSError) as error:
        raise InvalidInputError(f"lm_eval does not accept these arguments: {error}") from error
    finally:
        logging.disable(disabled)


def _start_logging() -> None:
    from lm_eval.utils import setup_logging

    setup_logging()


def _specs(tasks: str | Sequence[str] | None) -> list[str]:
    listed = [tasks] if isinstance(tasks, str) else list(tasks or [])
    return [name for entry in listed for name in entry.split(",") if name]


def _folders(include_path: str | Sequence[str] | None) -> list[str]:
    return [include_path] if isinstance(include_path, str) else list(include_path or [])


def _settle(options: RunOptions, requested: Requested) -> list[str]:
    """Say what the checks found; the messages that do not end the run."""
    findings = check(options, requested.tasks) if requested.tasks else []
    refused = [finding.message for finding in findings if finding.severity == "refuse"]
    if refused:
        raise InvalidInputError("\n  ".join(refused))
    return [say(finding.severity, finding.message) for finding in findings]


def _check_sample_numbers(options: RunOptions, documents: Documents) -> None:
    for task, numbers in (options.samples or {}).items():
        if task in documents and max(numbers) >= len(documents[task]):
            raise InvalidInputError(
                f"--samples asks for document {max(numbers)} of {task}, which has "
                f"{len(documents[task])} (0 to {len(documents[task]) - 1})."
            )


def _run_lm_eval(namespace: argparse.Namespace, requested: Requested) -> Kept:
    import lm_eval
    import lm_eval.tasks
    from lm_eval.evaluator import simple_evaluate

    kept = Kept()

    def keeping(*args: Any, **kwargs: Any) -> Any:
        kept.results = simple_evaluate(*args, **kwargs)
        return kept.results

    with (
        _replaced(lm_eval.tasks, "TaskManager", lambda **_: requested.manager),
        _replaced(lm_eval, "simple_evaluate", keeping),
        _listening(kept.cuts),
    ):
        try:
            namespace.func(namespace)
        except ModuleNotFoundError as error:
            raise MissingToolError(
                f"the model backend needs the package {error.name}, which is not installed. "
                "`pip install 'sociolect[hf]'` brings what --model hf needs, "
                "`pip install 'sociolect[vllm]'` what --model vllm needs"
            ) from error
    return kept


class _CutListener(logging.Handler):
    """Collects warnings about truncated prompts; lm_eval goes on after them."""

    def __init__(self, found: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._found = found

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if "truncat" in message.lower():
            self._found.append(message)


@contextmanager
def _listening(found: list[str]) -> Iterator[None]:
    logger, listener = logging.getLogger("lm_eval"), _CutListener(found)
    logger.addHandler(listener)
    try:
        yield
    finally:
        logger.removeHandler(listener)


@contextmanager
def _replaced(module: Any, name: str, value: Any) -> Iterator[None]:
    original = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, original)


def _record(
    results: Mapping[str, Any],
    arguments: Sequence[str],
    options: RunOptions,
    documents: Documents,
    before: set[Path],
    messages: Sequence[str],
) -> None:
    if options.output_path is None:
        return
    written = results_of(results, results_files(options.output_path) - before)
    if written is None:
        raise ResultsError(
            f"lm_eval could not write its results to {options.output_path}: the table above is "
            "all there is. Is the folder writable, is the disk full?"
        )
    write_record(
        written,
        arguments=arguments,
        options=options,
        docs={task: docs[0] for task, docs in documents.items()},
        messages=messages,
    )

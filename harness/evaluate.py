"""`sociolect eval`: lm_eval's own command with our tasks and backends known, its traps closed.

lm_eval's parser reads the arguments, lm_eval's `run` command runs them (`lm_eval_run`).
"""

from __future__ import annotations

import argparse
import copy
import io
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError, MissingToolError, ResultsError
from sociolect.harness.backend_traps import keeping_note
from sociolect.harness.document_traps import cut_pairs
from sociolect.harness.dry_run import Report, dry_run
from sociolect.harness.engine_errors import TRACEBACK_VARIABLE, explained
from sociolect.harness.lm_eval_run import Kept, check_model, run_lm_eval
from sociolect.harness.own_arguments import add_arguments, take_arguments
from sociolect.harness.provenance import (
    model_files,
    own_cache,
    results_files,
    results_of,
    write_record,
)
from sociolect.harness.requested import Requested, find_tasks, load_documents
from sociolect.harness.run_folders import check_places, place
from sociolect.harness.run_options import RunOptions
from sociolect.harness.run_reports import (
    report_cuts,
    report_one_sided,
    report_unanswered,
    say,
)
from sociolect.harness.samples_written import check_samples
from sociolect.harness.secret_trap import secret_trap
from sociolect.harness.traps import check

USAGE = "sociolect eval --model <model> --model_args <arg=value> … --tasks <task> … [options]"
ABOUT = """\
Runs lm_eval with the tasks and model backends of sociolect known: the arguments below are lm_eval's
own and keep their meaning (--include_path and --config too), but for the last group. Added: unknown
task names are answered with near matches, arguments that would silently spoil a run are refused or
reported, --use_cache gets one file per model and settings, and a run with --output_path leaves
sociolect_<time>.json beside its results.

--model sociolect-vllm, sociolect-hf, local-completions and local-chat-completions (the last two
ask a server, docs/judge_servers.md) keep every finished answer: the same command goes on where it
was stopped. Their --model_args besides lm_eval's: answers=FOLDER|none (default: inside
--output_path), chunk=N prompts kept together, seed=N of the sampling, batch_invariant=True (vLLM
only). The first two steer activations with steering=PATH,beta=N (docs/steering.md).

A prompt that the context of the model does not hold is not cut: it is counted, and unanswered."""
EXAMPLES = """\
examples:
  sociolect eval --model hf --model_args pretrained=DIR --tasks winobias_clean winobias_l2_30 \\
      --output_path results --log_samples
  sociolect eval --model sociolect-vllm --model_args pretrained=DIR,max_model_len=4096 \\
      --tasks winobias_l2 --output_path results --log_samples
  sociolect eval --config recipes/learner_errors/llama-3.1-8b.yaml --dry-run
  sociolect eval --model hf --model_args pretrained=DIR --tasks winobias_clean_ll --limit 20
"""
Documents = Mapping[str, Sequence[Mapping[str, Any]]]


def run(arguments: Sequence[str]) -> None:
    """Run `lm_eval run` with these arguments, or say what that would do.

    Raises:
        UnknownNameError: A task or a model backend that nobody knows.
        InvalidInputError: Arguments that lm_eval refuses, or that would spoil the run.
        ModelError: The backend could not load the model, or stopped.
        ResultsError: The run ended, but lm_eval could not write its results or all the answers.
    """
    parser = build_parser()
    if not arguments:
        parser.print_help(sys.stderr)
        raise SystemExit(2)
    namespace = parser.parse_args(list(arguments))
    own = take_arguments(namespace)
    config = merged_config(namespace)
    _start_logging()
    options = RunOptions.from_config(config, _environ(config))
    requested = find_tasks(_specs(config.tasks), _folders(config.include_path), config.metadata)
    messages = _settle(options, requested)
    documents = load_documents(requested.tasks, config.metadata)
    _check_sample_numbers(options, documents)
    for task in requested.tasks:
        cut = cut_pairs(options, task, documents[task.name])
        messages += [say(finding.severity, finding.message) for finding in cut]
    check_model(options.model)
    placed = place(options)
    if own.dry_run:
        _show(dry_run(placed, requested, documents, own))
        return
    check_places(placed)
    options = _cached(placed.options, requested, messages)
    if note := keeping_note(options, placed.answers):
        messages.append(say(note.severity, note.message))
    _hand_over(namespace, options, requested)
    before = _Before.of(options, requested)
    with explained(options, placed.folder):
        kept = run_lm_eval(namespace, requested)
    if requested.tasks and kept.results is not None:
        messages += [
            *kept.left_out.messages,
            *kept.tokens.messages,
            *report_cuts(kept.cuts),
        ]
        report_unanswered(kept.results, requested.tasks)
        messages += report_one_sided(kept.results, requested.tasks)
        _record(kept, kept.results, arguments, options, documents, before, messages)


@dataclass(frozen=True, slots=True)
class _Before:
    """What must be looked at before a run.

    Attributes:
        results: Results in the output folder.
        files: What the files of the model hold (`model_files`).
    """

    results: set[Path]
    files: Mapping[str, Any]

    @classmethod
    def of(cls, options: RunOptions, requested: Requested) -> _Before:
        if options.output_path is None or not requested.tasks:
            return cls(set(), {})
        return cls(results_files(options.output_path), model_files(options))


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
    add_arguments(parser)
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


def _show(report: Report) -> None:
    """Print a dry run; what does not resolve ends the command."""
    print(report.text)
    if report.problems:
        raise InvalidInputError("the run would fail:\n  " + "\n  ".join(report.problems))


def _environ(config: Any) -> dict[str, str]:
    """The environment; `--verbosity DEBUG` asks for tracebacks as the variable does."""
    debug = "DEBUG" in (config.verbosity, os.environ.get("LMEVAL_LOG_LEVEL"))
    return {**os.environ, **({TRACEBACK_VARIABLE: "1"} if debug else {})}


def _cached(options: RunOptions, requested: Requested, messages: list[str]) -> RunOptions:
    """The options with a cache of this run alone, if one is asked for."""
    if not requested.tasks or options.use_cache is None:
        return options
    cached = replace(options, use_cache=own_cache(options))
    messages.append(say("note", f"answers are cached in {cached.use_cache}_rank*.db."))
    return cached


def _hand_over(namespace: argparse.Namespace, options: RunOptions, requested: Requested) -> None:
    """Give lm_eval what was settled; it merges command line and `--config` once more."""
    namespace.use_cache = options.use_cache
    namespace.include_path = requested.include_path
    if options.is_ours:
        namespace.output_path = options.output_path
        namespace.model_args = dict(options.model_args)


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
    findings = check(options, requested.tasks) if requested.tasks else list(secret_trap(options))
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


def _record(
    kept: Kept,
    results: Mapping[str, Any],
    arguments: Sequence[str],
    options: RunOptions,
    documents: Documents,
    before: _Before,
    messages: Sequence[str],
) -> None:
    if options.output_path is None:
        return
    written = results_of(results, results_files(options.output_path) - before.results)
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
        files=before.files,
        too_long=kept.left_out.record(),
        tokens=kept.tokens.found,
    )
    if options.log_samples:
        keeps = options.is_ours and options.model_args.get("answers") not in (None, "none")
        check_samples(results, written, keeps_answers=keeps)

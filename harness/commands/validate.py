"""`sociolect validate`: how do the errors of a dataset compare with those of learners?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from sociolect.generators.conditions import Condition
    from sociolect.generators.m2 import M2File
    from sociolect.harness.datasets_at import Located
    from sociolect.harness.realism_report import Costs, Validation

_FORMATS = ("table", "json", "md")


def validate(
    dataset: Annotated[
        str, typer.Argument(metavar="DATASET", help="A folder, or org/name[@revision] on the Hub.")
    ],
    config: Annotated[str, typer.Option(help="Config to look at.")] = "l2-20",
    m2: Annotated[
        Path | None,
        typer.Option(
            help="M2 file of learner texts with ERRANT types, to compare with instead of the "
            "counts of W&I+LOCNESS."
        ),
    ] = None,
    annotator: Annotated[int, typer.Option(help="Whose corrections of the M2 file.")] = 0,
    sample: Annotated[
        int, typer.Option(help="Pairs to look at, and sentences to score; 0 for all.")
    ] = 0,
    model: Annotated[
        str,
        typer.Option(
            help="Folder or Hub id of a causal language model: what does an error cost it?"
        ),
    ] = "",
    device: Annotated[
        str, typer.Option(help="Of the model: cpu, cuda. Default: a GPU if there is one.")
    ] = "",
    write: Annotated[
        bool, typer.Option("--write", help="Store the result as realism.json in the folder.")
    ] = False,
    output_format: Annotated[str, typer.Option("--format", help="table, json or md.")] = "table",
) -> None:
    """Compare the errors of a dataset with those of learners (needs ERRANT)."""
    from sociolect.generators.errors import InvalidInputError
    from sociolect.generators.m2 import read_m2
    from sociolect.harness.commands._checks import check_format, trouble
    from sociolect.harness.datasets_at import dataset_at

    with trouble():
        check_format(output_format, _FORMATS)
        located = dataset_at(dataset)
        if write and not located.is_local:
            raise InvalidInputError(f"--write needs a folder, {dataset} is a copy from the Hub")
        learners = None if m2 is None else read_m2(m2, annotator)
        found = _validation(located, config, learners, sample, model, device)
        if write:
            _write(found, located.folder)
    _print(found, output_format)


def _validation(
    located: "Located", config: str, learners: "M2File | None", sample: int, model: str, device: str
) -> "Validation":
    from importlib.metadata import version

    from sociolect.generators.errant_labels import annotator, label, sample_pairs
    from sociolect.generators.realism import compare_with, m2_reference, shipped_reference
    from sociolect.harness.realism_report import Validation

    reference = shipped_reference() if learners is None else m2_reference(learners)
    manifest, condition, rows = _rows(located, config)
    pairs = sample_pairs(rows, sample)
    annotator()  # a missing ERRANT is said before anything is scored
    realism = compare_with(label(pairs, condition, progress=True), condition, reference)
    return Validation(
        benchmark=manifest["benchmark"],
        data_version=manifest["data_version"],
        config_sha256=str(manifest["configs"][config].get("sha256", "")),
        sample=sample,
        errant=version("errant"),
        realism=realism,
        costs=_costs(pairs, condition, learners, sample, model, device) if model else None,
    )


def _rows(
    located: "Located", config: str
) -> "tuple[dict[str, Any], Condition, Sequence[Mapping[str, Any]]]":
    from sociolect.generators.conditions import Condition
    from sociolect.generators.errors import DataError, InvalidInputError, UnknownNameError
    from sociolect.generators.manifest import read_manifest
    from sociolect.generators.stored import is_withheld, read_config

    manifest = read_manifest(located.folder)
    if config not in manifest["configs"]:
        raise UnknownNameError("config", config, manifest["configs"], "Name one with --config.")
    condition = Condition.parse(config)
    if condition.is_clean:
        raise InvalidInputError("the clean config has no errors to compare; name another --config")
    if condition.is_noise:
        raise InvalidInputError(
            f"{config} holds surface noise, which is no learner error; name a config of l2 errors"
        )
    if is_withheld(manifest):
        raise InvalidInputError(
            f"{located.name} comes without the texts of the benchmark; build it from its source "
            "files with `sociolect build` and validate that"
        )
    stored = read_config(located.folder, config)
    if stored.problem:
        raise DataError(f"{located.name}, {config}: {stored.problem}; build or download it again")
    return manifest, condition, stored.rows


def _costs(
    pairs: "Sequence[Mapping[str, Any]]",
    condition: "Condition",
    learners: "M2File | None",
    sample: int,
    model: str,
    device: str,
) -> "Costs":
    from sociolect.harness.edit_cost import cost, dataset_units, learner_units
    from sociolect.harness.likelihood import Likelihood
    from sociolect.harness.realism_report import Costs

    scorer = Likelihood(model, device)
    name = Path(model).name if Path(model).is_dir() else model  # the path is nobody's business
    ours = cost(list(dataset_units(pairs, condition)), scorer, progress=True)
    if learners is None:
        return Costs(name, ours, None)
    theirs = list(learner_units(learners, condition, sample))
    return Costs(name, ours, cost(theirs, scorer, progress=True))


def _write(found: "Validation", folder: Path) -> None:
    import os
    import tempfile

    from sociolect.generators.errors import InvalidInputError
    from sociolect.generators.layout import REALISM
    from sociolect.harness.realism_report import render_json

    path = folder / REALISM
    try:
        handle, partial = tempfile.mkstemp(prefix=f".{REALISM}.", dir=folder)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(render_json(found))
        Path(partial).chmod(0o644)
        Path(partial).replace(path)
    except OSError as error:
        raise InvalidInputError(f"cannot write {path} ({error.strerror})") from error
    typer.echo(f"wrote {path}", err=True)


def _print(found: "Validation", output_format: str) -> None:
    from rich.console import Console

    from sociolect.harness.realism_report import render_json, render_markdown, rendered

    if output_format == "table":
        Console(emoji=False, markup=False, highlight=False).print(rendered(found))
    else:
        typer.echo((render_json if output_format == "json" else render_markdown)(found), nl=False)

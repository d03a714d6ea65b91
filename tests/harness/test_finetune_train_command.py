"""`sociolect finetune train`: options, output and exit codes."""

from __future__ import annotations

import inspect
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import typer
from tiny_models import tiny_llama, tiny_training_set
from typer.testing import CliRunner

from sociolect.generators.errors import TrainingError, UnknownNameError
from sociolect.harness.commands.finetune_train import train_command
from sociolect.steering.lora.settings import Settings

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(train_command)


def call(*arguments: Any) -> Any:
    return CliRunner().invoke(app, [str(a) for a in arguments])


def test_every_setting_is_an_option_with_the_same_default() -> None:
    parameters = inspect.signature(train_command).parameters
    for field in fields(Settings):
        assert parameters[field.name].default == field.default, field.name
    hints = get_type_hints(train_command, include_extras=True)
    for name in parameters:
        assert get_args(hints[name])[1].help, name


def test_both_adapters_are_trained_and_then_left_alone(tmp_path: Path) -> None:
    tiny_training_set(tmp_path / "data")
    model = tiny_llama(tmp_path / "model")
    command = [tmp_path / "data", "--model", model, "--out", tmp_path / "out", "--rank", 2]
    command += ["--batch", 8, "--save-steps", 1, "--no-gradient-checkpointing"]
    first = call(*command)
    assert first.exit_code == 0, first.output
    lines = first.stdout.splitlines()
    assert [line.partition(", loss")[0] for line in lines] == [
        f"{tmp_path}/out/{name}: 3 steps" for name in ("clean", "errors")
    ]
    second = call(*command)
    assert second.exit_code == 0
    assert second.stderr.count("is finished already; nothing to do") == 2
    third = call(*command, "--seed", 1)
    assert isinstance(third.exception, TrainingError)
    assert "settings.seed: 0 and 1" in str(third.exception)


def test_one_prompt_set_alone(tmp_path: Path) -> None:
    tiny_training_set(tmp_path / "data")
    model = tiny_llama(tmp_path / "model")
    command = [tmp_path / "data", "--model", model, "--out", tmp_path / "out", "--prompts"]
    assert call(*command, "errors").exit_code == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["errors"]
    unknown = call(*command, "dirty")
    assert isinstance(unknown.exception, UnknownNameError)


@pytest.mark.parametrize("missing", ["trl", "peft", "matplotlib"])
def test_a_missing_library_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    from importlib.metadata import PackageNotFoundError, version

    from sociolect.generators import installed as module
    from sociolect.generators.errors import MissingToolError

    def found(name: str) -> str:
        if name == missing:
            raise PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(module, "version", found)
    result = call(tmp_path, "--model", "x", "--out", tmp_path / "out")
    assert isinstance(result.exception, MissingToolError)
    assert f"'{missing}'" in str(result.exception)
    assert "sociolect[finetune]" in str(result.exception)

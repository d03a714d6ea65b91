"""`sociolect steer fit` from its arguments to the folder, on a random model of eight blocks."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_models import tiny_llama
from typer.testing import CliRunner, Result

from sociolect.generators.conditions import Condition
from sociolect.generators.dialect.build import Segmenter, build
from sociolect.generators.dialect.pair_files import read_pairs, write_pairs
from sociolect.generators.dialect.pairs import Boundaries, DialectPair, Segmented
from sociolect.generators.dialect.splits import Sizes
from sociolect.generators.errors import (
    DataError,
    InvalidInputError,
    ModelError,
    SociolectError,
    UnknownNameError,
)
from sociolect.harness import cli
from sociolect.harness.steering import fit_run
from sociolect.harness.steering.fit_folder import store_of
from sociolect.harness.steering.fit_model import ModelToFit, model_to_fit
from sociolect.harness.steering.fit_report import digits
from sociolect.steering.fitting import fit as measuring
from sociolect.steering.fitting.material import Material
from sociolect.steering.fitting.pairs import dialect_material
from sociolect.steering.tracing.items import Traced
from sociolect.steering.vector_files import load

DOCUMENT = Path(__file__).parents[3] / "docs/steering_fit.md"
DEPTH = 8
EFFECTS = (0.1, -0.3, 0.2, -0.1, 0.0, -0.4, 0.3, -0.2)
"""R by block; those below 0 add to -1."""
CONTROLS = ("random", "shuffled", "layers")
FILES = {
    *("vector.safetensors", "single.safetensors", "controls"),
    *(f"controls/{name}.safetensors" for name in CONTROLS),
    *("fit.json", "report.md", "layers.png"),
}

Given = Callable[[Sequence[float]], None]


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llama(tmp_path_factory.mktemp("model") / "tiny", num_hidden_layers=DEPTH)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("pairs"))


def built(place: Path, alike: bool = False) -> Path:
    """Pairs in splits; the two contexts of all of them are the same ones if they are alike."""

    def pair(n: int) -> DialectPair:
        at = 0 if alike else n
        return DialectPair(
            f"p{n:02}", f"He be at {at} all night {n}", f"He is usually at {at} all evening {n}"
        )

    made = [pair(n) for n in range(24)]
    write_pairs(made, place / "mine.jsonl")

    def cut(pairs: Any) -> list[Segmented]:
        return [Segmented(p, Boundaries(p.aae.index(" all"), p.sae.index(" all"))) for p in pairs]

    sizes = Sizes(tracing=6, direction=12, selection=2, evaluation=4)
    file = read_pairs(place / "mine.jsonl")
    build(file, place / "built", sizes=sizes, segmenter=Segmenter(cut, {"rho": 0.5}))
    return place / "built"


def known(effects: Sequence[float]) -> Callable[..., list[Traced]]:
    """Tracing whose effects are known: R, and by turns 0.05 more and less."""

    def traced(model: Any, items: Sequence[Any], settings: Any, **_: Any) -> list[Traced]:
        mean = torch.tensor(effects, dtype=torch.float64)
        return [
            Traced(item.id, mean + 0.05 * (-1) ** n, 0.5, -0.25, len(item.positions), 2.0)
            for n, item in enumerate(items)
        ]

    return traced


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Given:
    return lambda effects: monkeypatch.setattr(measuring, "trace_items", known(effects))


@pytest.fixture(scope="module")
def fitted(model: Path, pairs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a fit whose effects are `EFFECTS`; `said` beside it is what was printed."""
    place = tmp_path_factory.mktemp("fitted")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(measuring, "trace_items", known(EFFECTS))
        result = call(model, place / "fit", "--pairs", pairs)
    assert result.exit_code == 0, result.output
    (place / "said").write_text(result.stdout)
    return place / "fit"


def call(model: Path, out: Path, *arguments: object) -> Result:
    named = f"pretrained={model},dtype=float32"
    return CliRunner().invoke(
        cli.app,
        ["steer", "fit", "--model_args", named, "--out", str(out), *map(str, arguments)],
    )


def no_block(measured: Any) -> dict[int, float]:
    raise ModelError("no block")


def error(result: Result) -> SociolectError:
    assert isinstance(result.exception, SociolectError), result.output
    return result.exception


def read(out: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((out / "fit.json").read_text("utf-8"))
    return content


class TestKnownEffects:
    """Weights, controls, table and files where R is known."""

    @pytest.fixture
    def out(self, fitted: Path) -> Path:
        return fitted

    def test_the_folder_holds_what_it_should_and_nothing_else(self, out: Path) -> None:
        assert {path.relative_to(out).as_posix() for path in out.rglob("*")} == FILES
        assert {path.name for path in out.parent.iterdir()} == {"fit", "said"}

    def test_weights_are_those_of_equation_11(self, out: Path) -> None:
        vector = load(out)
        assert vector.layers == (1, 3, 5, 7)
        assert vector.weights == pytest.approx({1: 0.3, 3: 0.1, 5: 0.4, 7: 0.2})
        assert load(out / "single.safetensors").weights == {5: 1.0}

    def test_controls_are_vectors_of_their_own(self, out: Path) -> None:
        fitted = load(out)
        random, shuffled, layers = (load(out / f"controls/{n}.safetensors") for n in CONTROLS)
        for one in (random, shuffled):
            assert one.weights == fitted.weights
            assert not torch.allclose(one.unit[5], fitted.unit[5], atol=0.1)
        assert set(layers.layers) == {0, 2, 4, 6}
        weights = [sorted(one.weights.values()) for one in (layers, fitted)]
        assert weights[0] == pytest.approx(weights[1])
        assert torch.equal(layers.unit, fitted.unit)

    def test_facts_say_how_it_was_found(self, out: Path) -> None:
        facts = load(out).facts
        assert facts["kind"] == "dialect"
        assert facts["extraction"]["pairs"] == 12
        assert facts["extraction"]["position"] == "last_context_token"
        traced = facts["tracing"]
        assert traced["R"] == pytest.approx(EFFECTS)
        assert traced["items"] == 6
        assert (traced["alpha"], traced["draws"], traced["sites"]) == (3.0, 1, "single")
        assert facts["adapter"] is None
        assert facts["dtype"] == "float32"
        assert {"sociolect", "torch", "transformers"} <= set(facts["versions"])
        assert str(out.parent) not in json.dumps(dict(facts))

    def test_numbers_in_json(self, out: Path) -> None:
        found = read(out)
        blocks = found["blocks"]
        assert [block["effect"] for block in blocks] == pytest.approx(EFFECTS)
        assert [block["layer"] for block in blocks if block["chosen"]] == [1, 3, 5, 7]
        assert all(block["low"] <= block["effect"] <= block["high"] for block in blocks)
        assert blocks[5]["weight_over_norm"] == pytest.approx(0.4 / blocks[5]["norm"])
        assert found["mean_clean"] == 0.5
        assert found["mean_corrupted"] == -0.25
        assert len(found["items"]) == 6
        assert all(len(item["effects"]) == DEPTH for item in found["items"])

    def test_the_pairs_that_were_used_are_named(self, out: Path, pairs: Path) -> None:
        from sociolect.generators.dialect.folder import read_folder

        rows = read_folder(pairs).rows
        split = {
            name: sorted(row["id"] for row in rows if row["split"] == name)
            for name in ("direction", "tracing")
        }
        wanted = {"directions": split["direction"], "tracing": split["tracing"]}
        assert read(out)["ids"] == wanted

    def test_the_table_marks_what_is_steered(self, out: Path) -> None:
        said = (out.parent / "said").read_text()
        assert re.search(r"^\s*5\*\s+-0\.4000\s+\[-0\.4\d+, -0\.3\d+\]\s+100%\s+0\.400", said, re.M)
        assert re.search(r"^\s*6\s+\+0\.3000\s+\[", said, re.M)
        assert "steered blocks and their weights: 1 (0.30), 3 (0.10), 5 (0.40), 7 (0.20)" in said
        assert "6 items were traced; fewer than 30" in said
        assert "parameters; a fit on one this small" in said

    def test_the_report_says_how_to_use_it(self, out: Path) -> None:
        text = (out / "report.md").read_text("utf-8")
        assert f"steering={out},beta=0.6" in text
        assert "sociolect steer sweep" in text
        assert "- splits: directions direction, tracing tracing" in text
        assert "![R by block](layers.png)" in text
        assert "fewer than 30" in text
        norm = read(out)["blocks"][5]["norm"]
        assert f"{digits(norm)} (block 5)" in text

    def test_the_same_fit_gives_the_same_bytes(
        self, out: Path, given: Given, model: Path, pairs: Path, tmp_path: Path
    ) -> None:
        given(EFFECTS)
        assert call(model, tmp_path / "again", "--pairs", pairs).exit_code == 0
        for name in FILES - {"controls", "fit.json", "report.md"}:
            assert (out / name).read_bytes() == (tmp_path / "again" / name).read_bytes(), name
        both = [read(folder) for folder in (out, tmp_path / "again")]
        assert all(one.pop("seconds") for one in both)
        assert both[0] == both[1]


class TestOverwriting:
    @pytest.fixture
    def out(self, fitted: Path, tmp_path: Path) -> Path:
        return Path(shutil.copytree(fitted, tmp_path / "fit"))

    def test_what_is_there_is_replaced_only_when_asked(
        self, out: Path, given: Given, model: Path, pairs: Path
    ) -> None:
        before = (out / "vector.safetensors").read_bytes()
        refused = error(call(model, out, "--pairs", pairs))
        assert isinstance(refused, InvalidInputError)
        assert "--overwrite" in str(refused)
        assert (out / "vector.safetensors").read_bytes() == before
        given(EFFECTS)
        again = call(model, out, "--pairs", pairs, "--overwrite", "--layers", 2)
        assert again.exit_code == 0, again.output
        assert load(out).layers == (1, 5)

    def test_what_a_fit_did_not_make_is_never_replaced(
        self, out: Path, model: Path, pairs: Path
    ) -> None:
        (out / "notes.txt").write_text("mine")
        refused = error(call(model, out, "--pairs", pairs, "--overwrite"))
        assert "notes.txt" in str(refused)
        assert (out / "notes.txt").read_text() == "mine"


class TestWeakFits:
    def test_no_negative_block_is_an_error_with_its_table(
        self, given: Given, model: Path, pairs: Path, tmp_path: Path
    ) -> None:
        given([0.1] * DEPTH)
        result = call(model, tmp_path / "fit", "--pairs", pairs)
        assert isinstance(error(result), ModelError)
        assert "+0.1000" in result.stdout
        assert not (tmp_path / "fit").exists()

    @pytest.mark.slow
    def test_more_items_go_on_where_no_block_was_negative(
        self, model: Path, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        out, options = tmp_path / "fit", ("--pairs", pairs, "--method", "reference")
        monkeypatch.setattr(fit_run, "chosen_weights", no_block)
        for limit, advice in ((2, "a larger --trace-limit goes on"), (9, "no item is left to")):
            result = call(model, out, *options, "--trace-limit", limit)
            assert isinstance(error(result), ModelError)
            assert f"kept in {store_of(out)}: {advice}" in result.stderr
            assert "Else remove that folder" in result.stderr
        assert len([*store_of(out).glob("*.safetensors")]) == 1
        assert len([*store_of(out).iterdir()]) == 7  # the directions, and six items

    def test_two_pairs_of_the_same_texts_have_no_shuffled_control(
        self, given: Given, model: Path, tmp_path: Path
    ) -> None:
        given(EFFECTS)
        out = tmp_path / "fit"
        result = call(model, out, "--pairs", built(tmp_path, alike=True))
        assert result.exit_code == 0, result.output
        assert "controls/shuffled.safetensors is left out: with the sides" in result.stdout
        found = {path.relative_to(out).as_posix() for path in out.rglob("*")}
        assert found == FILES - {"controls/shuffled.safetensors"}

    def test_fewer_blocks_than_asked_for(
        self, given: Given, model: Path, pairs: Path, tmp_path: Path
    ) -> None:
        given([0.1] * (DEPTH - 1) + [-0.1])
        result = call(model, tmp_path / "fit", "--pairs", pairs)
        assert result.exit_code == 0, result.output
        assert "only 1 of 8 blocks have a negative R" in result.stdout
        assert load(tmp_path / "fit").weights == {DEPTH - 1: 1.0}

    def test_an_interval_that_holds_0_and_a_direction_that_is_none(
        self,
        given: Given,
        model: Path,
        pairs: Path,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        extract = measuring.extract

        def unstable(*arguments: Any, **options: Any) -> Any:
            found = extract(*arguments, **options)
            return replace(found, stability=torch.tensor([0.49, 0.5] * (DEPTH // 2)))

        monkeypatch.setattr(measuring, "extract", unstable)
        given([-0.01, -0.4] + [0.1] * (DEPTH - 2))
        said = call(model, tmp_path / "fit", "--pairs", pairs).stdout
        assert "block 0: the interval of R holds 0" in said
        assert "block 0: the directions of two halves" in said

    def test_no_matplotlib_no_picture(
        self,
        given: Given,
        model: Path,
        pairs: Path,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        from sociolect.harness.steering import fit_plot

        monkeypatch.setattr(fit_plot, "find_spec", lambda name: None)
        given(EFFECTS)
        result = call(model, tmp_path / "fit", "--pairs", pairs)
        assert result.exit_code == 0, result.output
        assert "sociolect[plots]" in result.stderr
        assert not (tmp_path / "fit/layers.png").exists()
        assert "layers.png" not in (tmp_path / "fit/report.md").read_text("utf-8")


class TestRefused:
    """Each before the model is loaded, unless said otherwise."""

    @pytest.mark.parametrize(
        ("options", "kind", "said"),
        [
            ([], InvalidInputError, "--pairs FOLDER"),
            (["--pairs", "PAIRS", "--condition", "l2-30"], InvalidInputError, "--pairs FOLDER"),
            (["--pairs", "nowhere"], DataError, "no folder of pairs"),
            (["--condition", "l2-31"], UnknownNameError, "l2-30"),
            (["--condition", "clean"], InvalidInputError, "differs from nothing"),
            (["--condition", "l2-30", "--benchmark", "bbq"], UnknownNameError, "winogrande"),
            (["--pairs", "PAIRS", "--limit", -1], InvalidInputError, "--limit -1"),
            (["--pairs", "PAIRS", "--trace-limit", 0], InvalidInputError, "--trace-limit 0"),
            (["--pairs", "PAIRS", "--layers", 0], InvalidInputError, "--layers 0"),
            (["--pairs", "PAIRS", "--batch-size", 0], InvalidInputError, "--batch-size 0"),
            (["--pairs", "PAIRS", "--resamples", 0], InvalidInputError, "--resamples 0"),
            (["--pairs", "PAIRS", "--seed", -1], InvalidInputError, "seed"),
            (["--pairs", "PAIRS", "--alpha", "nan"], InvalidInputError, "alpha=nan"),
            (["--pairs", "PAIRS", "--draws", 0], InvalidInputError, "draws=0"),
            (["--pairs", "PAIRS", "--sites", "both"], InvalidInputError, "sites=both"),
            (["--pairs", "PAIRS", "--method", "fast"], InvalidInputError, "method=fast"),
        ],
    )
    def test_options(
        self, options: list[Any], kind: type, said: str, pairs: Path, tmp_path: Path
    ) -> None:
        given = [pairs if one == "PAIRS" else one for one in options]
        refused = error(call(tmp_path / "no-model", tmp_path / "fit", *given))
        assert isinstance(refused, kind), refused
        assert said in str(refused)
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("extra", ["steering=x", "beta=1", "steering_unchecked=True"])
    def test_a_model_that_is_steered(self, extra: str, pairs: Path, tmp_path: Path) -> None:
        arguments = ["--model_args", f"pretrained=x,{extra}", "--pairs", pairs]
        refused = error(call(tmp_path / "x", tmp_path / "fit", *arguments))
        assert isinstance(refused, InvalidInputError)
        assert "as it is" in str(refused)

    @pytest.mark.parametrize(
        "text",
        [
            "pretrained=x,dtype=float32,steering_blocks=model.layers",
            '{"pretrained": "x", "dtype": "float32", "steering_blocks": "model.layers"}',
        ],
    )
    def test_the_list_of_blocks_is_no_steering(self, text: str) -> None:
        found = model_to_fit(text, batch=4, device="cpu", seed=0)
        assert found.blocks == "model.layers"
        assert found.choice.arguments == {"pretrained": "x", "dtype": "float32"}

    def test_a_model_that_is_not_there(self, pairs: Path, tmp_path: Path) -> None:
        refused = error(call(tmp_path / "no-model", tmp_path / "fit", "--pairs", pairs))
        assert isinstance(refused, ModelError)
        assert not list(tmp_path.iterdir())

    def test_a_folder_that_holds_something_else(self, pairs: Path, tmp_path: Path) -> None:
        (tmp_path / "fit").mkdir()
        (tmp_path / "fit/mine").write_text("x")
        refused = error(call(tmp_path / "m", tmp_path / "fit", "--pairs", pairs, "--overwrite"))
        assert "holds no fit" in str(refused)
        assert (tmp_path / "fit/mine").read_text() == "x"

    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("x" * 300, "(File name too long); name another folder"),
            ("x" * 300 + "/fit", "(File name too long); name another folder"),
            ("x" * 240, "(File name too long); name another folder"),  # what is beside it is longer
            ("file/fit", "is a file; name a place in a folder"),
            ("file/more/fit", "is a file; name a place in a folder"),
            ("/proc/fit", "cannot write to /proc"),
            ("new/fit", "no such"),
        ],
    )
    def test_a_place_that_cannot_be_written(
        self, name: str, said: str, pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def load(self: Any) -> None:
            raise ModelError("no such model")

        monkeypatch.setattr(ModelToFit, "load", load)
        (tmp_path / "file").touch()
        refused = error(call(tmp_path, tmp_path / name, "--pairs", pairs))
        assert said in str(refused)
        assert "room" not in str(refused)
        assert [path.name for path in tmp_path.iterdir()] == ["file"]

    def test_a_file(self, pairs: Path, tmp_path: Path) -> None:
        (tmp_path / "fit").write_text("x")
        assert "is a file" in str(error(call(tmp_path, tmp_path / "fit", "--pairs", pairs)))


class TestTwoAtOnce:
    def test_who_waited_is_told_that_the_fit_is_there(
        self, fitted: Path, model: Path, pairs: Path, tmp_path: Path, monkeypatch: Any
    ) -> None:
        out = tmp_path / "fit"

        @contextmanager
        def after_another(target: Path) -> Iterator[None]:
            shutil.copytree(fitted, target)
            yield

        monkeypatch.setattr(fit_run, "only_one", after_another)
        refused = error(call(model, out, "--pairs", pairs))
        assert isinstance(refused, InvalidInputError)
        assert "holds a fit" in str(refused)
        assert load(out).sha256() == load(fitted).sha256()


class TestDocumented:
    """The commands of the documentation do what it says."""

    COMMANDS = re.findall(r"^sociolect steer fit (?:.*\\\n)*.*$", DOCUMENT.read_text("utf-8"), re.M)

    def test_there_are_some(self) -> None:
        assert len(self.COMMANDS) == 3

    @pytest.mark.parametrize("command", COMMANDS)
    def test_command(
        self, command: str, given: Given, model: Path, pairs: Path, tmp_path: Path, monkeypatch: Any
    ) -> None:
        def errors(lm: Any, condition: Condition, **options: Any) -> Material:
            assert condition.config_name == "l2-30"
            assert options["benchmark"] == "winogrande"
            return replace(dialect_material(lm, pairs), kind="errors")

        monkeypatch.setattr(fit_run, "error_material", errors)
        given(EFFECTS)
        names = {"DIR": model, "PAIRS": pairs, "FIT": tmp_path / "fit"}
        text = re.sub(r"\b(DIR|PAIRS|FIT)\b", lambda found: str(names[found[1]]), command)
        result = CliRunner().invoke(cli.app, shlex.split(text.replace("\\\n", " "))[1:])
        assert result.exit_code == 0, result.output
        kind = "errors" if "--condition" in command else "dialect"
        assert load(tmp_path / "fit").facts["kind"] == kind


@pytest.mark.slow
class TestTraced:
    """With the tracing itself, of a random model."""

    def test_a_stopped_run_goes_on(self, model: Path, pairs: Path, tmp_path: Path) -> None:
        whole, out = tmp_path / "whole", tmp_path / "fit"
        options = ["--pairs", pairs, "--method", "reference", "--layers", 2]
        assert call(model, whole, *options).exit_code == 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(measuring, "_advance", _stop_after(2))
            result = call(model, out, *options)
        assert result.exit_code == 130, result.output
        assert f"kept in {store_of(out)}" in result.stderr
        assert not out.exists()
        assert store_of(out).is_dir()
        with pytest.MonkeyPatch.context() as patch:  # the directions are not found again
            patch.setattr(measuring, "extract", lambda *_, **__: pytest.fail("found again"))
            again = call(model, out, *options)
        assert again.exit_code == 0, again.output
        assert not store_of(out).exists()
        for name in ("vector.safetensors", "controls/shuffled.safetensors", "layers.png"):
            assert (out / name).read_bytes() == (whole / name).read_bytes()


def _stop_after(items: int) -> Callable[[Any, int], None]:
    def advance(bar: Any, done: int) -> None:
        bar.update(done)
        if bar.desc == "tracing" and bar.n >= items:
            raise KeyboardInterrupt

    return advance

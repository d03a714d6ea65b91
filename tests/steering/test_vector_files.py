"""Steering vectors on disk."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from sociolect.generators.errors import InvalidInputError, ModelError  # noqa: E402
from sociolect.steering.vector_files import load, save  # noqa: E402
from sociolect.steering.vectors import OfModel, SteeringVector  # noqa: E402

MODEL = OfModel("org/tiny", "weights abc", "LlamaForCausalLM", depth=3, width=2)


def vector(**facts: Any) -> SteeringVector:
    return SteeringVector(
        model=MODEL,
        unit=torch.tensor([[0.6, 0.8], [1.0, 0.0], [0.0, -1.0]]),
        norms=torch.tensor([10.0, 20.0, 40.0]),
        weights={0: 0.75, 2: 0.25},
        facts=facts,
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    save(vector(pairs=7, note="naïve …"), tmp_path / "fit" / "vector.safetensors")
    return tmp_path / "fit" / "vector.safetensors"


def changed(path: Path, change: Any) -> None:
    """Write the file again with other tensors or other metadata."""
    from safetensors import safe_open
    from safetensors.torch import save_file

    with safe_open(path, framework="pt") as file:
        head = json.loads(file.metadata()["config"])
        tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118
    change(head, tensors)
    save_file(tensors, path, {"config": json.dumps(head)})


def test_what_was_saved_is_read_back(path: Path) -> None:
    found = load(path)
    assert found.model == MODEL
    assert torch.equal(found.unit, vector().unit)
    assert torch.equal(found.norms, vector().norms)
    assert found.weights == {0: 0.75, 2: 0.25}
    assert found.facts == {"pairs": 7, "note": "naïve …"}
    assert found.sha256() == vector().sha256()


def test_the_folder_of_a_fit_stands_for_its_vector(path: Path) -> None:
    assert load(path.parent).sha256() == vector().sha256()


def test_other_tools_find_weighted_directions_and_metadata(path: Path) -> None:
    from safetensors import safe_open

    with safe_open(path, framework="pt") as file:
        assert torch.allclose(file.get_tensor("layers.0"), torch.tensor([0.45, 0.6]))
        assert torch.equal(file.get_tensor("residual_norm"), vector().norms)
        head = json.loads(file.metadata()["config"])
    assert (head["format"], head["hook"]) == ("sociolect.steering/1", "decoder_block_output")
    assert (head["index_base"], head["layers"]) == (0, [0, 2])


def test_one_vector_is_the_same_bytes_every_time(path: Path, tmp_path: Path) -> None:
    save(vector(pairs=7, note="naïve …"), tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", ["v.pt", "v.bin", "v.PTH", "v.pkl"])
def test_a_pickle_is_refused_unopened(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\x80\x02 not looked at")
    with pytest.raises(ModelError, match=r"can run code when it is opened.*steer fit"):
        load(tmp_path / name)


def test_a_pickle_by_another_name_is_no_vector(tmp_path: Path) -> None:
    torch.save({"layers.0": torch.ones(2)}, tmp_path / "v.safetensors")
    with pytest.raises(ModelError, match=r"no steering vector of the form sociolect.steering/1"):
        load(tmp_path / "v.safetensors")


def test_missing_and_empty_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such file"):
        load(tmp_path / "v.safetensors")
    with pytest.raises(ModelError, match="no such file"):
        load(tmp_path)
    (tmp_path / "v.safetensors").touch()
    with pytest.raises(ModelError, match="no steering vector"):
        load(tmp_path / "v.safetensors")


def test_a_file_cut_short_is_no_vector(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(ModelError, match="no steering vector"):
        load(path)


CHANGES: dict[str, tuple[Any, str]] = {
    "another direction": (lambda h, t: t["unit.1"].mul_(-1), "does not have the hash"),
    "another weight": (lambda h, t: h["weights"].update({"0": 0.7, "2": 0.3}), "layers.0 is not"),
    "another model": (lambda h, t: h["model"].update(name="x"), "does not have the hash"),
    "a NaN": (lambda h, t: t["unit.1"].fill_(torch.nan), "NaN or infinity"),
    "a block too many": (lambda h, t: h["model"].update(depth=4), "unit.3"),
    "a block beyond": (
        lambda h, t: h.update(weights={**h["weights"], "9": 0.1}, layers=[0, 2, 9]),
        "the model has 0 to 2",
    ),
    "other layers": (lambda h, t: h.update(layers=[0]), r"layers \[0\], and weights of"),
    "another width": (lambda h, t: t.update({"unit.1": torch.ones(3)}), r"unit.1 .*shape \(3,\)"),
    "a complex tensor": (
        lambda h, t: t.update({"unit.1": t["unit.1"] + 0j}),
        "unit.1 holds torch.complex64",
    ),
    "half a tensor": (lambda h, t: t.update({"unit.1": t["unit.1"].half()}), "torch.float16"),
    "another length": (lambda h, t: t["unit.1"].mul_(2), "block 1 has length 2"),
    "a huge weight": (lambda h, t: h["weights"].update({"0": 10**400}), "that of block 0 is no"),
    "a weight of text": (lambda h, t: h["weights"].update({"0": "0.75"}), "that of block 0 is no"),
    "a weight of NaN": (lambda h, t: h["weights"].update({"0": math.nan}), "that of block 0 is no"),
    "a block twice": (lambda h, t: h["weights"].update({"00": 0.1}), "'00' is no number"),
    "fullwidth": (lambda h, t: h.update(weights={"０": 1.0}), "is no number of a block"),
    "a list of weights": (lambda h, t: h.update(weights=[1]), "weights: no JSON object"),
    "no depth": (lambda h, t: h["model"].update(depth=0), "depth is 0"),
    "a depth below 0": (lambda h, t: h["model"].update(depth=-1), "depth is -1"),
    "a boundless depth": (lambda h, t: h["model"].update(depth=10**18), "and no unit.3"),
    "a depth that is no number": (lambda h, t: h["model"].update(depth=True), "depth is True"),
    "a model of one word more": (lambda h, t: h["model"].update(more=1), "more; wanted name"),
    "facts in a list": (lambda h, t: h.update(facts=[]), "facts: no JSON object"),
    "facts in words": (lambda h, t: h.update(facts="so"), "facts: no JSON object"),
    "a layer too many": (
        lambda h, t: t.update({"layers.1": t["unit.1"].clone()}),
        "layers.1 is of no use",
    ),
    "another hook": (lambda h, t: h.update(hook="mlp"), "hook 'mlp'"),
    "a later format": (lambda h, t: h.update(format="sociolect.steering/2"), "steering/2"),
    "no weights": (lambda h, t: h.pop("weights"), "weights"),
    "no norms": (lambda h, t: t.pop("residual_norm"), "residual_norm"),
    "no object": (lambda h, t: h.update(model=[1]), "no steering vector"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_file_is_refused(path: Path, name: str) -> None:
    change, said = CHANGES[name]
    changed(path, change)
    with pytest.raises(ModelError, match=said):
        load(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 100_000, "nested too deeply"),
        ("{", "no JSON"),
        ("[]", "its metadata: no JSON object"),
    ],
)
def test_metadata_that_are_none(path: Path, text: str, said: str) -> None:
    from safetensors.torch import load_file, save_file

    save_file(load_file(path), path, {"config": text})
    with pytest.raises(ModelError, match=f"{path}: .*{said}"):
        load(path)


def test_a_path_that_no_system_has(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"cannot be read .File name too long"):
        load(tmp_path / ("x" * 300))
    with pytest.raises(InvalidInputError, match=r"cannot be written .File name too long"):
        save(vector(), tmp_path / f"{'x' * 300}.safetensors")


def test_safetensors_without_our_metadata_are_refused(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    save_file({"layers.0": torch.ones(2)}, tmp_path / "v.safetensors")
    with pytest.raises(ModelError, match="no steering vector"):
        load(tmp_path / "v.safetensors")


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"kept as ….safetensors"):
        save(vector(), tmp_path / "v.pt")


def test_a_place_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInputError, match="cannot be written"):
        save(vector(), tmp_path / "file" / "v.safetensors")
    assert [one.name for one in tmp_path.iterdir()] == ["file"]

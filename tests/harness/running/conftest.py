"""A built dataset, two tiny random models, and a copy of lm_eval that tests may write to."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

BENCHMARK = "occupations_mini"
CORE_TASK = "task: arc_easy\ntag: ai2_arc\noutput_type: multiple_choice\n"


@pytest.fixture(scope="session")
def built_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of the small benchmark: clean and l2-20."""
    from sociolect.generators.build import build
    from sociolect.generators.conditions import Condition

    folder = tmp_path_factory.mktemp("data") / BENCHMARK
    build(BENCHMARK, [Condition("l2", 20)], out=folder)
    return folder


@pytest.fixture(scope="session")
def tiny_llamas(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two random Llama models of a few thousand parameters, with one byte-level tokenizer."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        vocab_size=300,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=4096,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=1,
    )
    tokenizer = _tokenizer()
    folders = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        folder = tmp_path_factory.mktemp("models") / f"tiny{seed}"
        transformers.LlamaForCausalLM(config).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        folders.append(folder)
    return folders[0], folders[1]


def _tokenizer() -> object:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(models.BPE())
    words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<s>", "</s>"],
    )
    words.train_from_iterator(["The nurse told the carpenter that she was late."], trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=words, bos_token="<s>", eos_token="</s>", pad_token="</s>"
    )


@pytest.fixture
def lm_eval_copy(tmp_path: Path) -> Path:
    """A folder for PYTHONPATH with a copy of lm_eval that has a single task of its own."""
    spec = find_spec("lm_eval")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("lm_eval is not installed")
    package = Path(spec.submodule_search_locations[0])
    copy = tmp_path / "copy" / "lm_eval"
    shutil.copytree(package, copy, ignore=lambda folder, names: _left_out(package, folder, names))
    (copy / "tasks" / "arc").mkdir()
    (copy / "tasks" / "arc" / "arc_easy.yaml").write_text(CORE_TASK)
    return copy.parent


def _left_out(package: Path, folder: str, names: list[str]) -> set[str]:
    if Path(folder) == package / "tasks":
        return {name for name in names if not name.endswith(".py")}
    return {name for name in names if name == "__pycache__"}


@pytest.fixture
def offline(built_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The environment of a run: built data, no network, one thread, lm_eval's usual log."""
    monkeypatch.setenv("SOCIOLECT_DATA", str(built_data))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)  # read at import
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.delenv("LMEVAL_LOG_LEVEL", raising=False)
    return built_data

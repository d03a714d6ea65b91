import builtins
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.errors import MissingToolError
from sociolect.generators.learner import speller


def test_the_dictionary_knows_words_and_names() -> None:
    assert speller.knows("house")
    assert speller.knows("paris")
    assert not speller.knows("hpuse")


def test_neighbours_leave_the_token_in_one_piece() -> None:
    for word in ("the", "because", "carpenter", "of", "system"):
        found = speller.neighbours(word)
        assert len(found) >= 5
        assert all(w.isascii() and w.isalpha() and w.islower() and len(w) > 1 for w in found)
        assert word not in found
        assert len(set(found)) == len(found)


def test_neighbours_are_near() -> None:
    assert "there" in speller.neighbours("their")
    assert "form" in speller.neighbours("from")


def test_versions_name_library_binding_and_word_lists() -> None:
    versions = speller.speller_versions()
    assert set(versions) == {"aspell", "aspell_python", "dictionary", "dictionary_sha256"}
    assert versions["aspell"].startswith("0.60")
    assert versions["dictionary"] == "en_US"
    assert len(versions["dictionary_sha256"]) == 64


def test_a_missing_binding_is_told_with_the_commands_to_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = builtins.__import__

    def without_aspell(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "aspell":
            raise ImportError("No module named 'aspell'")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_aspell)
    monkeypatch.delitem(sys.modules, "aspell", raising=False)
    with pytest.raises(MissingToolError) as caught:
        speller._speller.__wrapped__()
    message = str(caught.value)
    assert "apt-get install libaspell-dev aspell-en" in message
    assert "pip install 'sociolect[spelling]'" in message


def test_a_missing_dictionary_is_told_with_the_commands_to_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(speller, "_SETTINGS", (("lang", "xx_YY"),))
    with pytest.raises(MissingToolError, match="aspell-en"):
        speller._speller.__wrapped__()


@pytest.mark.slow
def test_the_users_word_lists_and_locale_change_nothing(tmp_path: Path) -> None:
    """A personal dictionary, a replacement list, another locale and configuration file."""
    code = (
        "from sociolect.generators.learner.speller import neighbours, knows;"
        "print(neighbours('the'), knows('sociolectic'))"
    )

    def run(env: dict[str, str]) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True
        )
        return done.stdout

    (tmp_path / ".aspell.en.pws").write_text("personal_ws-1.1 en 2\nsociolectic\ntheh\n")
    (tmp_path / ".aspell.en.prepl").write_text("personal_repl-1.1 en 1\nthe theh\n")
    (tmp_path / ".aspell.conf").write_text("lang de_DE\nsug-mode ultra\nignore 4\n")
    mine = {**os.environ, "HOME": str(tmp_path), "LC_ALL": "C", "LANG": "C"}
    assert run(mine) == run(dict(os.environ))

"""GNU Aspell, with nothing taken from the user's environment."""

from __future__ import annotations

import ctypes
import ctypes.util
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Protocol, cast

from sociolect.generators.errors import MissingToolError

INSTALL = (
    "Install GNU Aspell and its English dictionary, then the binding: "
    "`apt-get install libaspell-dev aspell-en` and `pip install 'sociolect[spelling]'`."
)
_SETTINGS = (
    ("lang", "en_US"),
    ("encoding", "utf-8"),
    ("sug-mode", "normal"),
    # Personal word lists and configuration files would make the output depend on the user.
    *((name, "/dev/null") for name in ("conf", "per-conf", "personal", "repl")),
)


class _Speller(Protocol):
    def check(self, word: str) -> bool: ...
    def suggest(self, word: str) -> list[str]: ...
    def ConfigKeys(self) -> dict[str, tuple[str, object, str]]: ...


@cache
def _speller() -> _Speller:
    try:
        import aspell
    except ImportError as error:
        raise MissingToolError(f"the Python binding of GNU Aspell is missing. {INSTALL}") from error
    try:
        return cast(_Speller, aspell.Speller(*_SETTINGS))
    except (aspell.AspellSpellerError, aspell.AspellConfigError) as error:
        raise MissingToolError(f"GNU Aspell does not start ({error}). {INSTALL}") from error


@cache
def knows(word: str) -> bool:
    """Whether the dictionary holds `word`, as written or capitalised.

    Args:
        word: Lower-case ASCII letters; Aspell accepts the empty word and most symbols.
    """
    return bool(_speller().check(word) or _speller().check(word.capitalize()))


@cache
def neighbours(word: str) -> tuple[str, ...]:
    """Dictionary words that Aspell suggests for `word`, nearest first.

    Only suggestions that leave the token structure alone are kept: lower-case ASCII letters,
    at least two, different from `word`.
    """
    return tuple(
        s
        for s in _speller().suggest(word)
        if s.isascii() and s.isalpha() and s.islower() and len(s) > 1 and s != word
    )


def _word_lists(multi: Path) -> list[Path]:
    """The compiled word lists that a `.multi` file includes, in order."""
    if multi.suffix == ".rws":
        return [multi]
    lines = multi.read_text(encoding="utf-8", errors="replace").splitlines()
    added = [line.split()[1] for line in lines if line.startswith("add ")]
    return [rws for name in added for rws in _word_lists(multi.parent / name)]


@cache
def speller_versions() -> dict[str, str]:
    """Versions of library and binding and the hash of the word lists, for manifests.

    Raises:
        MissingToolError: Aspell or its dictionary is not installed.
    """
    master = Path(str(_speller().ConfigKeys()["master-path"][1]))
    digest = sha256()
    for word_list in _word_lists(master):
        digest.update(word_list.read_bytes())
    library = ctypes.CDLL(ctypes.util.find_library("aspell") or "libaspell.so.15")
    library.aspell_version_string.restype = ctypes.c_char_p
    return {
        "aspell": library.aspell_version_string().decode(),
        "aspell_python": metadata.version("aspell-python-py3"),
        "dictionary": master.stem,
        "dictionary_sha256": digest.hexdigest(),
    }

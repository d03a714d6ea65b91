import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pooch
import pytest

from sociolect.generators.errors import SourceError
from sociolect.generators.sources import (
    SOURCES_VARIABLE,
    PinnedFile,
    fetch,
    fetch_texts,
    sources_folder,
)

CONTENT = b"one line\r\nanother \xc3\xa9\n"
DIGEST = hashlib.sha256(CONTENT).hexdigest()
FILE = PinnedFile("set/file.txt", DIGEST, "http://127.0.0.1:9/set/file.txt")


class _Handler(BaseHTTPRequestHandler):
    served: list[str]

    def do_GET(self) -> None:
        self.served.append(self.path)
        if self.path == "/missing":
            self.send_error(404)
            return
        self.send_response(200)
        # The declared length of a cut download is longer than what arrives.
        self.send_header("Content-Length", str(len(CONTENT) + (10 if self.path == "/cut" else 0)))
        self.end_headers()
        self.wfile.write(CONTENT)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    served: list[str] = []
    handler = type("Handler", (_Handler,), {"served": served})
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=httpd.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_address[1]}", served
    httpd.shutdown()
    thread.join()
    httpd.server_close()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(SOURCES_VARIABLE, raising=False)
    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / "cache" / project)
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "local"
    (path / "set").mkdir(parents=True)
    (path / "set" / "file.txt").write_bytes(CONTENT)
    return path


def _files(path: Path) -> list[Path]:
    return [p for p in path.rglob("*") if p.is_file()] if path.exists() else []


def test_local_folder_wins(folder: Path, cache: Path) -> None:
    assert fetch(FILE, folder) == folder / "set" / "file.txt"
    assert not _files(cache)


def test_environment_names_the_folder(
    folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SOURCES_VARIABLE, str(folder))
    assert fetch(FILE) == folder / "set" / "file.txt"


def test_argument_beats_environment(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SOURCES_VARIABLE, str(tmp_path))
    assert sources_folder(folder) == folder
    assert sources_folder() == tmp_path


def test_empty_environment_is_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SOURCES_VARIABLE, "")
    assert sources_folder() is None


def test_folder_that_does_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SourceError, match="not a folder"):
        sources_folder(tmp_path / "nowhere")
    monkeypatch.setenv(SOURCES_VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(SourceError, match=SOURCES_VARIABLE):
        sources_folder()


def test_changed_local_file_names_both_hashes_and_the_remedy(folder: Path) -> None:
    (folder / "set" / "file.txt").write_bytes(CONTENT + b"x")
    found = hashlib.sha256(CONTENT + b"x").hexdigest()
    with pytest.raises(SourceError) as caught:
        fetch(FILE, folder)
    for part in ("set/file.txt", DIGEST, found, FILE.url, "--sources FOLDER", SOURCES_VARIABLE):
        assert part in str(caught.value)


def test_missing_local_file_is_not_downloaded(
    folder: Path, cache: Path, server: tuple[str, list[str]]
) -> None:
    absent = PinnedFile("set/absent.txt", DIGEST, f"{server[0]}/whole")
    with pytest.raises(SourceError, match="No such file"):
        fetch(absent, folder)
    assert not server[1]


def test_download_once_then_from_the_cache(cache: Path, server: tuple[str, list[str]]) -> None:
    file = PinnedFile("set/file.txt", DIGEST, f"{server[0]}/whole")
    path = fetch(file)
    assert path == cache / "sociolect" / "sources" / "set" / "file.txt"
    assert path.read_bytes() == CONTENT
    fetch(file)
    assert server[1] == ["/whole"]


def test_damaged_cache_is_replaced(cache: Path, server: tuple[str, list[str]]) -> None:
    file = PinnedFile("set/file.txt", DIGEST, f"{server[0]}/whole")
    fetch(file).write_bytes(b"damaged")
    assert fetch(file).read_bytes() == CONTENT
    assert len(server[1]) == 2


@pytest.mark.parametrize("path", ["/missing", "/cut"])
def test_failed_download_leaves_nothing(
    path: str, cache: Path, server: tuple[str, list[str]]
) -> None:
    with pytest.raises(SourceError) as caught:
        fetch(PinnedFile("set/file.txt", DIGEST, server[0] + path))
    assert "set/file.txt" in str(caught.value)
    assert "--sources FOLDER" in str(caught.value)
    assert not _files(cache)


def test_download_of_other_bytes_names_both_hashes(
    cache: Path, server: tuple[str, list[str]]
) -> None:
    with pytest.raises(SourceError) as caught:
        fetch(PinnedFile("set/file.txt", "0" * 64, f"{server[0]}/whole"))
    assert "0" * 64 in str(caught.value)
    assert DIGEST in str(caught.value)
    assert not _files(cache)


def test_no_network(cache: Path) -> None:
    with pytest.raises(SourceError, match=r"cannot download set/file\.txt") as caught:
        fetch(FILE)
    assert FILE.url in str(caught.value)
    assert not _files(cache)


def test_cache_that_cannot_be_written(cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    with pytest.raises(SourceError, match=r"cannot download set/file\.txt"):
        fetch(FILE)


def test_texts_keep_their_line_endings(folder: Path) -> None:
    assert fetch_texts([FILE], folder) == {"set/file.txt": "one line\r\nanother é\n"}


def test_record_for_the_manifest() -> None:
    assert (FILE.source.name, FILE.source.sha256, FILE.source.url) == (FILE.name, DIGEST, FILE.url)

"""A folder of pairs of texts in African American English and Standard American English.

DIR/README.md                              names the config for `datasets.load_dataset`
DIR/manifest.json                          sources, splits, segmentation, versions, hashes
DIR/pairs/test-00000-of-00001.parquet      one pair a row

The folder appears when it is complete.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sociolect.generators.dialect.columns import column_problem
from sociolect.generators.dialect.manifest_shape import misshapen
from sociolect.generators.dialect.pair_faults import CONFIG, Row, row_faults
from sociolect.generators.dialect.pairs import BENCHMARK
from sociolect.generators.errors import DataError, InvalidInputError
from sociolect.generators.folders import finished_folder, recover, resolved
from sociolect.generators.layout import CARD, MANIFEST, PARQUET
from sociolect.generators.locks import only_one
from sociolect.generators.rows import config_sha256

if TYPE_CHECKING:
    import pyarrow

AGAIN = "Build it again with `sociolect dialect build`, or download it again"

WITHHELD = "withheld"
"""Value of `text` in a manifest whose rows come without the AAE texts; else it is `WHOLE`."""
WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Built:
    """Pairs as they lie in a folder.

    Attributes:
        manifest: What the folder says of itself.
        rows: One pair each, with the columns of `schema`.
    """

    manifest: Mapping[str, Any]
    rows: tuple[Row, ...]

    @property
    def is_withheld(self) -> bool:
        """Whether the AAE texts were left out."""
        return bool(self.manifest["text"] == WITHHELD)


@cache
def schema() -> pyarrow.Schema:
    """The columns: texts have no empty cells; the boundaries are offsets in characters."""
    import pyarrow as pa

    text = pa.string()
    return pa.schema(
        [
            *((name, text) for name in ("id", "aae", "sae", "aae_back")),
            ("naturalness", pa.float64()),
            *((name, text) for name in ("split", "group")),
            *((name, pa.int32()) for name in ("aae_boundary", "sae_boundary")),
            ("unsegmented", text),
        ]
    )


def is_dialect(folder: Path) -> bool:
    """Whether a folder says that it holds pairs; a damaged manifest says nothing."""
    try:
        content = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content.get("benchmark") == BENCHMARK


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder of pairs.

    Raises:
        DataError: There is none, it is damaged, or of another benchmark.
    """
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(
            f"{folder} is no folder of pairs: it has no {MANIFEST}. Make one with "
            "`sociolect dialect build PAIRS --out DIR`"
        ) from None
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}); allow it") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is damaged ({error}). {AGAIN}") from None
    if problem := misshapen(manifest):
        raise DataError(f"{path} is not the manifest of a folder of pairs: {problem}. {AGAIN}")
    return dict(manifest)


def read_rows(folder: Path) -> tuple[Row, ...]:
    """The rows of a folder, whatever they say.

    Raises:
        DataError: The file is missing or cannot be read, or the columns are others.
    """
    import pyarrow as pa
    from pyarrow import parquet

    path = folder / CONFIG / PARQUET
    try:
        table = parquet.ParquetFile(path).read()
    except FileNotFoundError:
        raise DataError(f"{path} is missing: the folder is incomplete. {AGAIN}") from None
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path} cannot be read ({error}). {AGAIN}") from error
    if problem := column_problem(table, schema()):
        raise DataError(f"{path} has other columns than this version reads: {problem}. {AGAIN}")
    return tuple(table.select(schema().names).to_pylist())


def read_folder(folder: Path) -> Built:
    """The pairs of a folder, checked.

    What is checked: columns, number of rows, hash, ids, splits, and that boundaries are inside
    their texts and before white space. `checks.verify` looks at more.

    Raises:
        DataError: The folder is incomplete or damaged.
    """
    built = Built(read_manifest(folder), read_rows(folder))
    check(built, str(folder))
    return built


def check(built: Built, where: str) -> None:
    """Refuse pairs that are not what their manifest says.

    Args:
        built: The pairs.
        where: For the message.

    Raises:
        DataError: The number of rows or their hash is another, or a row is wrong.
    """
    entry = built.manifest["configs"][CONFIG]
    if len(built.rows) != entry["rows"]:
        raise DataError(
            f"{where} holds {len(built.rows)} pairs, its {MANIFEST} says {entry['rows']}. {AGAIN}"
        )
    if config_sha256(built.rows) != entry["sha256"]:
        raise DataError(f"the pairs in {where} were changed after they were built. {AGAIN}")
    if fault := next(row_faults(built.rows, withheld=built.is_withheld), None):
        raise DataError(f"{where}: {fault}. {AGAIN}")


def write_folder(built: Built, out: Path, *, overwrite: bool = False) -> None:
    """Write pairs; the folder gets its name when it is complete.

    Args:
        built: The pairs, which their manifest describes.
        out: Folder to make.
        overwrite: Replace a folder of pairs that is there.

    Raises:
        DataError: The pairs are not what their manifest says.
        InvalidInputError: `out` holds something, or cannot be written.
    """
    check(built, "the build")
    check_vacant(out, overwrite=overwrite)
    target = resolved(out)
    with only_one(target):
        recover(target)
        check_vacant(out, overwrite=overwrite)  # again: another process may have filled it
        with finished_folder(target) as folder:
            try:
                _fill(folder, built)
            except OSError as error:
                raise InvalidInputError(
                    f"the pairs could not be written beside {out} ({error.strerror or error}); "
                    "make room, or name another folder"
                ) from error


def check_vacant(out: Path, *, overwrite: bool) -> None:
    """Refuse a folder that holds something that would be lost.

    Raises:
        InvalidInputError: It does.
    """
    if out.exists() and not out.is_dir():
        raise InvalidInputError(f"{out} is a file; name a folder")
    if not out.is_dir() or not any(out.iterdir()):
        return
    if not is_dialect(out):
        raise InvalidInputError(f"{out} holds no pairs but something else; name another folder")
    if foreign := foreign_entries(out):
        raise InvalidInputError(
            f"{out} holds what no build put there ({', '.join(foreign[:3])}"
            f"{', …' if len(foreign) > 3 else ''}); move it away, or name another folder"
        )
    if not overwrite:
        raise InvalidInputError(
            f"{out} holds pairs; name another folder, or add --overwrite to replace them"
        )


def foreign_entries(folder: Path) -> list[str]:
    """What a build would not have put into a folder of pairs."""
    expected = {CARD, MANIFEST, CONFIG, f"{CONFIG}/{PARQUET}"}
    found = (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")))
    return [name for name in found if name not in expected]


def _fill(folder: Path, built: Built) -> None:
    from sociolect.generators.dialect.card import build_card

    write_rows(built.rows, folder / CONFIG / PARQUET)
    (folder / MANIFEST).write_bytes(manifest_bytes(built.manifest))
    (folder / CARD).write_text(build_card(built.manifest), encoding="utf-8")


def write_rows(rows: Sequence[Row], path: Path) -> None:
    """Write the one parquet file of a folder that is not finished yet."""
    import pyarrow as pa
    from pyarrow import parquet

    path.parent.mkdir()
    parquet.write_table(pa.Table.from_pylist([dict(r) for r in rows], schema=schema()), path)


def manifest_bytes(manifest: Mapping[str, Any]) -> bytes:
    """A manifest as it is written."""
    text = json.dumps(manifest, indent=1, ensure_ascii=False, sort_keys=True)
    return f"{text}\n".encode()

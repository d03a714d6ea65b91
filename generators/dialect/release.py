"""A release of a folder of pairs: its files as they are, and a card for readers."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from sociolect.generators.dialect.checks import faults
from sociolect.generators.dialect.corpus_at_hand import corpus_at_hand
from sociolect.generators.dialect.folder import Built, read_folder
from sociolect.generators.dialect.pair_faults import CONFIG
from sociolect.generators.dialect.release_card import release_card
from sociolect.generators.dialect.withheld import FEWEST_WITHHELD
from sociolect.generators.errors import DataError, InvalidInputError
from sociolect.generators.layout import CARD, MANIFEST, PARQUET
from sociolect.generators.release import Release, check_version, writing_to
from sociolect.generators.release_card import Card, Earlier
from sociolect.generators.release_checks import load_config, quiet
from sociolect.generators.rows import config_sha256


def make_release(
    build: Path,
    folder: Path,
    *,
    repo: str,
    version: str,
    earlier: tuple[Earlier, ...] = (),
    sources: Path | None = None,
    on_hub: bool = True,
) -> Release:
    """Fill an empty folder with the release of a folder of pairs, and check it.

    Args:
        build: A folder of pairs; it is not touched.
        folder: An empty folder.
        repo: Name of the dataset repository, `org/name`.
        version: Data version, which must be that of the folder.
        earlier: Versions published before.
        sources: Folder of the files that the pairs are from, which rows are compared with; None for
            `SOCIOLECT_SOURCES`. Without them nothing is compared.
        on_hub: Whether readers find the release on the Hub; else in a git repository.

    Raises:
        InvalidInputError: The version is no version or not that of the folder, the AAE texts have
            no licence or could be found by trying, or the folder cannot be written.
        SourceError: The folder that was named does not hold the files.
        DataError: The pairs are damaged, or not what their manifest or the corpus says.
    """
    built = read_folder(build)
    check_version(version, dict(built.manifest))
    check_licence(built)
    check_withheld(built)
    corpus = corpus_at_hand(built.manifest, sources)
    if fault := next(faults(built, corpus), None):
        raise DataError(f"{build} is not sound: {fault}. Build it again; see `sociolect verify`")
    with writing_to(folder):
        content = _copy(build, folder, built)
        size = (folder / CONFIG / PARQUET).stat().st_size
        card = Card(
            manifest=dict(built.manifest),
            repo=repo,
            version=version,
            manifest_sha256=sha256(content).hexdigest(),
            sizes={CONFIG: (_bytes_in_memory(folder), size)},
            earlier=earlier,
        )
        (folder / CARD).write_text(release_card(card, built, on_hub=on_hub), encoding="utf-8")
        _check_loads(folder, built)
    return Release(folder, repo, version, dict(built.manifest))


def check_licence(built: Built) -> None:
    """Refuse AAE texts that nobody has said may be published.

    Raises:
        InvalidInputError: They are here, and the manifest names no licence.
    """
    if built.manifest["licence"] or built.is_withheld:
        return
    raise InvalidInputError(
        f"the AAE texts of {built.manifest['name']!r} come with no licence. Build the folder again "
        "with --withhold-aae, which leaves them out, or with --licence SPDX if you may publish them"
    )


def check_withheld(built: Built) -> None:
    """Refuse a folder without AAE texts that may tell them all the same.

    Raises:
        InvalidInputError: Its pairs are so few that the hash of their texts could be found by
            trying, or nobody looked whether its other texts are AAE texts.
    """
    if not built.is_withheld:
        return
    if "withheld" not in built.manifest:
        raise InvalidInputError(
            "the folder does not say whether its SAE texts and back-translations are AAE texts of "
            "it; build it again with --withhold-aae"
        )
    if len(built.rows) < FEWEST_WITHHELD:
        raise InvalidInputError(
            f"{len(built.rows)} pairs are too few to publish without their AAE texts: the hash of "
            f"a few short texts can be found by trying. Publish {FEWEST_WITHHELD} or more"
        )


def _copy(build: Path, folder: Path, built: Built) -> bytes:
    """Copy rows and manifest byte for byte; the manifest's bytes."""
    (folder / CONFIG).mkdir()
    shutil.copyfile(build / CONFIG / PARQUET, folder / CONFIG / PARQUET)
    content = (build / MANIFEST).read_bytes()
    if json.loads(content) != built.manifest:
        raise DataError(f"{build} was changed while it was read; publish it again")
    (folder / MANIFEST).write_bytes(content)
    return content


def _bytes_in_memory(folder: Path) -> int:
    from pyarrow import parquet

    return int(parquet.ParquetFile(folder / CONFIG / PARQUET).read().nbytes)


def _check_loads(folder: Path, built: Built) -> None:
    """Load the release as its users will.

    Raises:
        DataError: It cannot be loaded, or gives other rows.
    """
    with quiet(), TemporaryDirectory(prefix="sociolect-check-") as cache:
        rows = load_config(folder, CONFIG, cache)
    if config_sha256(rows) != built.manifest["configs"][CONFIG]["sha256"]:
        raise DataError("the release loads with other rows than were built; build it again")

"""From pairs to a folder: splits, segmentation, texts withheld where they have to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sociolect.generators.dialect import habitual
from sociolect.generators.dialect.features import find_features
from sociolect.generators.dialect.folder import Built, check_vacant, write_folder
from sociolect.generators.dialect.manifest import assemble, unsegmented
from sociolect.generators.dialect.pair_files import PairFile
from sociolect.generators.dialect.pairs import DialectPair, Segmented
from sociolect.generators.dialect.splits import Sizes, assign_splits
from sociolect.generators.dialect.withheld import withhold
from sociolect.generators.errors import InvalidInputError
from sociolect.generators.items import Dropped
from sociolect.generators.layout import DATA_VERSION, is_version
from sociolect.generators.licences import is_spdx
from sociolect.generators.source_text import quoted

HABITUAL_SIZES = Sizes(tracing=0, direction=7000, selection=0, evaluation=0)
"""Three words are for directions only: nothing is reported on them."""


@dataclass(frozen=True, slots=True)
class Segmenter:
    """What divides pairs into context and continuation.

    Attributes:
        run: Segments pairs, in their order.
        settings: What decides the result: ρ, γ, models with their hashes. They go into the
            manifest.
    """

    run: Callable[[Sequence[DialectPair]], Sequence[Segmented]]
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Split:
    """Pairs with their splits.

    Attributes:
        pairs: In the order of the file.
        how: For the manifest: `by` is `hash` (with `seed` and wanted `sizes`), `file` or `none`.
        notes: Whole sentences.
    """

    pairs: tuple[DialectPair, ...]
    how: Mapping[str, Any]
    notes: tuple[str, ...] = ()


def usual_sizes(file: PairFile) -> Sizes:
    """The sizes of the splits if nobody asks for others; they shrink to what there is."""
    return HABITUAL_SIZES if is_habitual(file) else Sizes()


def is_habitual(file: PairFile) -> bool:
    """Whether these are the three-word pairs of the open corpus."""
    return file.name == habitual.NAME and bool(file.source.url)


def split(pairs: Sequence[DialectPair], sizes: Sizes | None, seed: int = 0) -> Split:
    """Put pairs into splits, or take them out of all.

    Args:
        pairs: With different ids; if all of them have a split, they keep it.
        sizes: Wanted sizes; None for no splits.
        seed: Another one gives other splits.

    Raises:
        InvalidInputError: Only some pairs have a split, or a split would be empty.
        DataError: The pairs have splits that share a group or a text.
    """
    if sizes is None:
        return Split(tuple(replace(pair, split="") for pair in pairs), {"by": "none"})
    done = assign_splits(pairs, sizes, seed, has_feature=has_feature)
    if all(pair.split for pair in pairs):
        return Split(done.pairs, {"by": "file"}, done.notes)
    return Split(done.pairs, {"by": "hash", "seed": seed, "sizes": asdict(sizes)}, done.notes)


def has_feature(pair: DialectPair) -> bool:
    """Whether the AAE text has a feature of the lexicon, without the entries that hold slurs."""
    return bool(find_features(pair.aae))


def build(
    file: PairFile,
    out: Path,
    *,
    sizes: Sizes | None,
    seed: int = 0,
    segmenter: Segmenter | None = None,
    licence: str = "",
    withheld: bool = False,
    columns: Mapping[str, str] | None = None,
    overwrite: bool = False,
    data_version: str = DATA_VERSION,
) -> Built:
    """Build a folder of pairs.

    Args:
        file: The pairs.
        out: Folder to make.
        sizes: Wanted sizes of the splits; None for no splits.
        seed: Of the splits.
        segmenter: None to leave the texts undivided.
        licence: SPDX identifier of the texts' licence; that of a corpus is known.
        withheld: Leave the AAE texts out.
        columns: How the file was read, kept so that it can be read again.
        overwrite: Replace a folder of pairs that is there.
        data_version: `X.Y.Z`; raise it when pairs that are published change.

    Returns:
        What was written.

    Raises:
        InvalidInputError: `out` holds something or cannot be written, splits cannot be made, the
            corpus has another licence, or version or licence is none.
        DataError: The pairs have splits that overlap.
    """
    check_vacant(out, overwrite=overwrite)
    if not is_version(data_version):
        raise InvalidInputError(
            f"the data version is {data_version!r}; write X.Y.Z with plain numbers, e.g. 1.1.0"
        )
    if licence and not is_spdx(licence):
        raise InvalidInputError(
            f"the licence is {quoted(licence)}, which is no SPDX identifier; write one such as "
            "CC-BY-4.0"
        )
    if licence and file.licence and licence != file.licence:
        raise InvalidInputError(f"{file.name} is under {file.licence}, not {licence}")
    done = split(file.pairs, sizes, seed)
    segmented = unsegmented(done.pairs) if segmenter is None else segmenter.run(done.pairs)
    built = assemble(
        segmented,
        name=file.name,
        licence=licence or file.licence,
        sources=file.sources,
        dropped=without_folders(file),
        segmentation=None if segmenter is None else segmenter.settings,
        notes={
            "splitting": done.how,
            "columns": dict(columns or {}),
            "notes": [*file.notes, *done.notes],
        },
        data_version=data_version,
    )
    built = withhold(built) if withheld else built
    write_folder(built, out, overwrite=overwrite)
    return built


def without_folders(file: PairFile) -> list[Dropped]:
    """What was dropped, with the name of the file alone: where it lay is nobody else's business."""
    return [replace(one, where=_in_file(one.where, file)) for one in file.dropped]


def _in_file(where: str, file: PairFile) -> str:
    for source in file.sources:
        _, found, rest = where.partition(f"/{source.name}")
        if found:
            return f"{source.name}{rest}"
    return where

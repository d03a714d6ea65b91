"""Where the templates of cards are, and how they are filled: Markdown, strictly."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

DATASET_CARDS = "sociolect.dataset_cards"


def environment(package: str = DATASET_CARDS, *, trim: bool = False) -> Environment:
    """The templates in the folder of a package.

    They are Markdown, so that nothing is escaped as HTML; what others wrote has to go through
    the filters of the one who fills them. A name without a value is an error.

    Args:
        package: Whose files they are.
        trim: Whether a line that holds a tag alone leaves no empty line.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package, "."),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
        trim_blocks=trim,
        lstrip_blocks=trim,
    )

"""The audit of dialect bias as one text, with what a reader must know beside its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sociolect import __version__
from sociolect.harness import sheets
from sociolect.harness.dialect.audits import CONTINUATION, Key
from sociolect.harness.dialect.differences import MOST_SHARED
from sociolect.harness.dialect.findings import Audit, Audited
from sociolect.harness.dialect.how_asked import how_asked
from sociolect.harness.dialect.lengths_shown import length_remark
from sociolect.harness.dialect.localisation_sheet import BOLD
from sociolect.harness.dialect.methods import EDGE, FEW_PAIRS, Method
from sociolect.harness.dialect.report_cells import DOUBTFUL, PLAIN
from sociolect.harness.dialect.report_rows import document, rows
from sociolect.harness.dialect.report_sheets import audit_sheets
from sociolect.harness.dialect.sheet_parts import has_same
from sociolect.harness.dialect.token_checks import other_tokenizers
from sociolect.harness.exports import csv_text, json_text
from sociolect.harness.judging.resampling import MIN_CLUSTERS, MOST_UNDEFINED
from sociolect.harness.sheets import Sheet
from sociolect.tasks.dialect.continuation_measures import DIFFERING

FORMATS: tuple[str, ...] = ("table", "md", "csv", "json", "tex")

_MEANING = (
    "AAE and SAE are varieties of English with rules of their own; no number here calls a text of "
    "either an error.",
    "LP = b_SAE − b_AAE (Eq. 4) is a preference for SAE continuations over both contexts: above 0 "
    "for SAE, below 0 for AAE. LP = 0 is no preference, not a match of dialects. The interaction "
    "b_SAE + b_AAE says how much more each continuation is expected in a context of its own "
    "variety: above 0 is dialect-matching.",
    "(sum): log-likelihoods of whole continuations, in nats, so that a longer one is the less "
    "likely. (token): each divided by its tokens. AAE PPL, SAE PPL: of the AAE continuation in the "
    "AAE context and of the SAE one in the SAE context, over the tokens of all pairs; not "
    "comparable between models with other tokenizers. That of Prompt has the instruction in its "
    "context, and is left out in the dialect paper.",
    "differing: over the pairs whose continuations differ. Where the context holds all that "
    "differs, both are the same words, and the preference is 0 whatever the model: such pairs "
    "count in LP and interaction as the dialect paper has them (Eq. 4), and dilute them.",
    "y: the label that a text got; AAE_back: the SAE text translated back into AAE. DGI = "
    "Pr(y_AAE = y_SAE). Two-way DGI = Pr(y_AAE = y_SAE = y_AAE_back). cDGI = Pr(y_AAE = y_SAE | "
    "y_AAE = y_AAE_back) (Eq. 1), over pairs whose back-translation raters found natural; (any): "
    "over all that have one. Agreement says nothing without the labels: a model that always says "
    "neutral has a DGI of 1.",
    "AAE match, SAE match: chosen continuations of the variety of the context, both orders of the "
    "options; first option: 50 % without a bias of position.",
)


_SIGNS: Mapping[str, str] = {
    DOUBTFUL: f"! fewer than {FEW_PAIRS} pairs or groups, or fewer than {EDGE} answers on one side "
    "of a share: the interval is too narrow.",
    PLAIN: "= one label was given to every text, or the first option was always or never chosen: "
    "agreement is 1 then and a match 50 %, which says nothing of dialect.",
}
"""What the marks of single numbers mean."""


def legend(audits: Sequence[Audit]) -> list[str]:
    """What the numbers and marks mean, and how they were computed."""
    method = audits[0].method
    level = f"{100 * method.confidence:g} %"
    return [
        *_MEANING,
        f"[ ]: {level} percentile bootstrap interval, {method.resamples:,} resamples of pairs or, "
        "where they have one, of their groups, the same for all systems and measures (dialect "
        f"paper, App. C.6); none over fewer than {MIN_CLUSTERS} pairs or groups, where nothing "
        f"varies, or where more than {100 * MOST_UNDEFINED:g} % of the resamples do not have the "
        "number. Resamples without it are dropped.",
        f"{_SIGNS[DOUBTFUL]} {sheets.NONE} no such number. Small models do little "
        "on these tasks: their numbers show that the parts fit together, and are no finding.",
        _SIGNS[PLAIN],
        *_compared(audits),
        f"Seed {method.seed}; sociolect {__version__}.",
    ]


def _compared(audits: Sequence[Audit]) -> list[str]:
    if not any(one.differences for audit in audits for one in audit.systems):
        return []
    method = audits[0].method
    return [
        "Differences: value − Base over the pairs that count in both (cDGI: in each). p: paired "
        f"randomisation test over pairs or groups, {method.permutations:,} permutations; none for "
        "perplexity and cDGI, which are no means over the same pairs, nor where pairs have "
        "different numbers of answers. Holm over the systems of a model, by measure. * p < "
        f"{method.alpha:g}. † Holm-adjusted p < {method.alpha:g}. ! also "
        f"where fewer than {100 * MOST_SHARED:g} % of the pairs that count in one of the two count "
        "in both: the difference may come from which they are.",
    ]


def remarks(audits: Sequence[Audit]) -> list[str]:
    """Everything unusual about the runs."""
    return [
        f"{audit.dataset.label}: {note}" if len(audits) > 1 else note
        for audit in audits
        for note in dict.fromkeys(_remarks(audit))
    ]


def _remarks(audit: Audit) -> Iterator[str]:
    dataset = audit.dataset
    yield from dataset.notes
    yield from _boundaries(audit)
    yield from other_tokenizers(audit)
    if dataset.grouped:
        yield (
            f"{len(dataset.ids)} pairs in {dataset.size} groups: whole groups are drawn and "
            "exchanged, as the pairs of one are not independent."
        )
    yield from _lengths(audit)
    for one in audit.systems:
        if asked_with := how_asked(one.system):
            yield asked_with
        for run in one.system.runs.values():
            if run.partial:
                yield f"{one.system.label}: {run.files.task} is {run.partial}."
        asked = one.answers.scores is not None
        if asked and Key(CONTINUATION, "lp_token") not in one.estimates:
            yield (
                f"{one.system.label}: the tokens of its continuations were not counted, so there "
                "is no perplexity and no form per token. Run it with `sociolect eval`, or name its "
                "tokenizer with --tokenizer."
            )
        if lost := _lost(one, audit.method.resamples):
            yield f"{one.system.label}: resamples without a number were dropped: {lost}."


def _boundaries(audit: Audit) -> Iterator[str]:
    """What found them: another encoder or aligner gives other numbers."""
    runs = [run for one in audit.systems for run in one.system.runs.values()]
    if models := sorted({run.data["segmented_with"] for run in runs} - {""}):
        yield f"Contexts end where these models found a boundary: {'; '.join(models)}."


def _lengths(audit: Audit) -> Iterator[str]:
    """What LP (sum) owes to the lengths of the continuations, by the pairs that it is over."""
    said: dict[str, list[str]] = {}
    for one in audit.systems:
        ends = {"": "pairs", **({DIFFERING: "pairs that differ"} if has_same([one]) else {})}
        for end, pairs in ends.items():
            found = one.estimates.get(Key(CONTINUATION, f"lp_sum{end}"))
            if found and found.lengths:
                text = length_remark(found.lengths, f"{found.n:,} {pairs}")
                said.setdefault(text, []).append(one.system.label)
    yield from (f"{', '.join(systems)}: {text}" for text, systems in said.items() if text)


def _lost(one: Audited, resamples: int) -> str:
    """Measures that some resamples do not have, with per cent of them."""
    found = [
        f"{key.task} {key.measure} {_per_cent(estimate.lost / resamples)}"
        for key, estimate in one.estimates.items()
        if estimate.lost and estimate.value is not None
    ]
    return ", ".join(found)


def _per_cent(share: float) -> str:
    return f"{100 * share:.1f} %" if share >= 0.0005 else "<0.1 %"


def render(
    audits: Sequence[Audit], output_format: str, *, width: int | None = None, colour: bool = False
) -> str:
    """The audit as text.

    Args:
        audits: One a dataset, at least one.
        output_format: One of `FORMATS`.
        width: Columns of the terminal.
        colour: Whether to write escape sequences.
    """
    if output_format == "json":
        return json_text(document(audits, [*remarks(audits), *legend(audits)]))
    if output_format == "csv":
        return csv_text(rows(audits))
    tables = [sheet for audit in audits for sheet in audit_sheets(audit)]
    notes = [*remarks(audits), *legend(audits)]
    if output_format != "table" or colour:  # plain text has no bold
        notes += [BOLD] if any(one.features for audit in audits for one in audit.systems) else []
    if output_format == "md":
        return sheets.as_markdown(tables, notes)
    if output_format == "tex":
        return as_tex(tables, notes, tex_signs(audits[0].method))
    return sheets.as_text(tables, notes, width=width, colour=colour)


def tex_signs(method: Method) -> dict[str, str]:
    """The marks of numbers and of differences."""
    return {
        DOUBTFUL: f"{_SIGNS[DOUBTFUL]} Of a difference also: fewer than {100 * MOST_SHARED:g} % of "
        "the pairs that count in one of the two count in both.",
        PLAIN: _SIGNS[PLAIN],
        "*": f"* p < {method.alpha:g}.",
        "†": f"† Holm-adjusted p < {method.alpha:g}.",
    }


def as_tex(tables: Sequence[Sheet], notes: Sequence[str], signs: Mapping[str, str]) -> str:
    """Each table with its marks explained below it, as comments are not seen when it is set.

    Args:
        tables: At least one.
        notes: Comments on the last of them.
        signs: Sentences by mark.
    """
    blocks = []
    for number, sheet in enumerate(tables, start=1):
        block = sheets.as_tex([sheet], notes if number == len(tables) else ())
        seen = {mark for row in sheet.rows for cell in row for mark in cell.marks}
        if said := [text for mark, text in signs.items() if mark in seen]:
            lines = "\n".join(f"{sheets.escape_tex(text)}\\par" for text in said)
            block += f"\\par\\smallskip\n{{\\footnotesize\n{lines}\n}}\n"
        blocks.append(block)
    return "\n".join(blocks)

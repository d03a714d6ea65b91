"""Bias and accuracy of answers to the benchmarks of sociolect, for the `evaluate` library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import datasets
import evaluate  # type: ignore[import-untyped]

from sociolect.generators.errors import InvalidInputError
from sociolect.tasks import evaluate_modules

_DESCRIPTION = """\
Social bias of a language model: of answers that can be right, Acc_pro - Acc_anti; of answers that
cannot, the share of answers that name the stereotyped option (or the disadvantaged group) less the
share of the others. With accuracies and the share of unanswered generations. Units are
bootstrapped for standard errors."""

_INPUTS = """\
Args:
    predictions: per reference the answers to its prompt: a list of generations, or a list of
        indices of options (in the order of the row, -1 unanswered).
    references: per prompt a mapping with `pair_id`, `options`, and as far as they exist `gold`,
        `target_option`, `member` (pro or anti), `order` (1: options shown reversed), `form`,
        `answer_mode`, `benchmark`. Documents of the tasks and rows of the datasets will do.
    standard_errors: whether to bootstrap standard errors (default True).
Returns:
    The metrics of the kind that the configuration names, per cent, with `<metric>_stderr`:
    coreference: bias, acc_pro, acc_anti, acc_pro_asked, acc_anti_asked, unanswered;
    stereotype, preference: bias, unanswered;
    disambiguated: acc, acc_asked, bias, unanswered;
    accuracy: acc, acc_asked, unanswered.
"""

_CITATION = """\
@misc{learner_errors,
  title = {Investigating the Impact of Learner Errors on Social Bias in LLMs}
}
"""


class SocialBias(evaluate.Metric):  # type: ignore[misc]
    """One configuration per kind of benchmark; `default` asks the `benchmark` of the references."""

    def _info(self) -> evaluate.MetricInfo:
        text, number = datasets.Value("string"), datasets.Value("int32")
        references = {
            **dict.fromkeys(("pair_id", "member", "benchmark"), text),
            "options": [text],
            **dict.fromkeys(("gold", "target_option", "order"), number),
            **dict.fromkeys(("form", "answer_mode"), text),
        }
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            # Generations are read when they come: what is kept are indices.
            features=datasets.Features({"predictions": [number], "references": references}),
        )

    def add_batch(
        self,
        *,
        predictions: Sequence[Any] | None = None,
        references: Sequence[Mapping[str, Any]] | None = None,
        **kwargs: Any,
    ) -> None:
        """Take a batch; columns of references that do not count are left out."""
        given, rows = _listed(predictions), _listed(references)
        if len(given) != len(rows):
            raise InvalidInputError(f"{len(given)} predictions for {len(rows)} references")
        rows = [evaluate_modules.reference(row) for row in rows]
        read = [evaluate_modules.chosen(*pair) for pair in zip(given, rows, strict=True)]
        if rows:
            super().add_batch(predictions=read, references=rows, **kwargs)

    def add(
        self,
        *,
        prediction: Any = None,
        reference: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Take the answers to one prompt."""
        row = evaluate_modules.reference(reference or {})
        read = evaluate_modules.chosen(prediction, row)
        super().add(prediction=read, reference=row, **kwargs)

    def compute(
        self,
        *,
        predictions: Sequence[Any] | None = None,
        references: Sequence[Mapping[str, Any]] | None = None,
        **kwargs: Any,
    ) -> dict[str, float] | None:
        """The metrics over everything that was taken; NaN if that is nothing."""
        if self.writer is None and not (_listed(predictions) or _listed(references)):
            return self._compute([], [], **kwargs)  # the library cannot finish an empty table
        found: dict[str, float] | None = super().compute(
            predictions=predictions, references=references, **kwargs
        )
        return found

    def _compute(
        self,
        predictions: Sequence[Any],
        references: Sequence[Mapping[str, Any]],
        *,
        standard_errors: bool = True,
    ) -> dict[str, float]:
        return evaluate_modules.compute(
            self.config_name, predictions, references, standard_errors=standard_errors
        )


def _listed(values: Sequence[Any] | None) -> list[Any]:
    """A column as a list, of whatever kind it is; none is an empty one."""
    if isinstance(values, (str, Mapping)):
        raise InvalidInputError(f"{str(values)[:60]!r} is no list with an entry for each prompt")
    return [] if values is None else list(values)

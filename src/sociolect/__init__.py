"""Bias of language models under English that is not textbook English.

The packages, in the direction of their imports:

* `sociolect.generators`: text in, datasets out;
* `sociolect.tasks`: lm-evaluation-harness tasks and their scoring;
* `sociolect.steering`: model backends, and mitigations;
* `sociolect.harness`: the command line, running, statistics, comparison.
"""

__version__ = "0.1.0"

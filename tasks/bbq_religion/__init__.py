"""The tasks of BBQ with ambiguous contexts, axis religion: files for lm-evaluation-harness."""

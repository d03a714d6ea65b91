"""The tasks of BBQ with ambiguous contexts, axis gender: files for lm-evaluation-harness."""

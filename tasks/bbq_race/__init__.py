"""The tasks of BBQ with ambiguous contexts, axis race: files for lm-evaluation-harness."""

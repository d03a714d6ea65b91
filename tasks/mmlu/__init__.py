"""The tasks of MMLU, as files for lm-evaluation-harness."""

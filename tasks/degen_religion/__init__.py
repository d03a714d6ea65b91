"""The tasks of DiscrimEvalGen, axis religion, as files for lm-evaluation-harness."""

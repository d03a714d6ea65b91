"""The tasks of DiscrimEvalGen, axis gender, as files for lm-evaluation-harness."""

"""The tasks of DiscrimEvalGen, axis race, as files for lm-evaluation-harness."""

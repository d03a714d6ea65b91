"""The tasks of BBQ with disambiguated contexts, axis religion: files for lm-evaluation-harness."""

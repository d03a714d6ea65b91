"""The tasks of BBQ with disambiguated contexts, axis gender: files for lm-evaluation-harness."""

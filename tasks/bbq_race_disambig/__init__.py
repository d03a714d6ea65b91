"""The tasks of BBQ with disambiguated contexts, axis race: files for lm-evaluation-harness."""

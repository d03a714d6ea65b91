"""lm-evaluation-harness tasks: generated YAML files, data loading and scoring."""

"""The tasks of WinoGrande, as files for lm-evaluation-harness."""

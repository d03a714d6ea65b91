"""Models: backends for lm-evaluation-harness, and mitigations of social bias."""

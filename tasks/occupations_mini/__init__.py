"""occupations_mini task files (generated)."""

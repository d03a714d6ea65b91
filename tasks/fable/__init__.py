"""fable task files (generated)."""

"""fable_protected task files (generated)."""

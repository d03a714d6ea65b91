"""fable_labels task files (generated)."""

"""fable_swapped task files (generated)."""

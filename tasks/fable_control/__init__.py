"""fable_control task files (generated)."""

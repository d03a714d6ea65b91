"""aae task files (generated)."""

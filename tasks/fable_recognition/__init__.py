"""fable_recognition task files (generated)."""

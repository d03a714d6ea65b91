"""WinoBias task files (generated)."""

"""The command line, running, statistics and comparison."""

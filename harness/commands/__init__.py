"""One module a command; each imports what it needs inside its function, so that help is fast."""

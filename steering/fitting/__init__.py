"""Steering vectors from parallel texts: what is compared, traced and written."""

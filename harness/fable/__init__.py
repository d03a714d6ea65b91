"""Responses for the judge items, written by a model and checked before they are kept."""

"""Analyses of the learner-error paper, on finished runs of one or several models."""

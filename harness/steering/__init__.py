"""Steered models compared: strengths, controls, and what steering costs."""

"""Causal tracing: in which decoder blocks a preference is computed (dialect paper, §4.3)."""

"""Tasks that audit whether a model treats AAE and SAE alike (dialect paper, §4.1)."""

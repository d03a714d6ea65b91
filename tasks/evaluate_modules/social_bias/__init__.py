"""The folder that `evaluate.load` reads; its module is `social_bias.py`."""

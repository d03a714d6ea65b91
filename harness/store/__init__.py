"""A folder of outputs of lm-eval as a database: what runs it holds, and an index made from it."""

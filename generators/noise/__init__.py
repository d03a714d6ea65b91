"""Surface noise: typos, informal spelling, punctuation, colloquial spelling, and combinations.

Each module lists the *slots* of one kind of noise in a text; none needs a tagger. Which slots are
edited is decided by hashed numbers, as for learner errors (`sociolect.generators.uniform`).
"""

"""Learner errors: determiner, preposition, verb and spelling slots.

Each module lists the *slots* of one error type in a parsed text: what could be edited, how,
and why a linguist would object. Choosing among the slots is `sociolect.generators.select`.
"""

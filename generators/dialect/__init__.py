"""Parallel text in African American English (AAE) and Standard American English (SAE).

AAE is a variety of English with rules of its own. Nothing here treats a form of it as an error,
and nothing here makes AAE out of SAE by rule: pairs come from people, or from a model that
translated what people wrote.
"""

"""Error-aware fine-tuning (learner-error paper, §4.6 and App. C.3): data, training, adapters."""

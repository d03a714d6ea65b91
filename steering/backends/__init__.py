"""Model backends: lm-evaluation-harness's own, with runs that resume and seeds per item."""

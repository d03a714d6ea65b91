"""How noise moves the verdicts of a judge: flips between the clean and the noisy responses."""

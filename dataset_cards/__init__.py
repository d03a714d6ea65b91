"""Templates of the dataset cards."""

"""Text in, datasets out: loaders, error injection, calibration and building."""

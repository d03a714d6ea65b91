"""The command line's side of the dialect audit: segmentation, translation, validation, report."""

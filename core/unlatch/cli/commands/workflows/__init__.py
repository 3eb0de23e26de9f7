"""unlatch workflow."""

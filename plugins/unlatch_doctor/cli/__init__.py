"""The commands doctor and config."""

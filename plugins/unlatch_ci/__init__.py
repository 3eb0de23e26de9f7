"""Let people on trackers ask for what the command line does."""

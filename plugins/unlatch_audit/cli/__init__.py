"""unlatch report, and unlatch history verify."""

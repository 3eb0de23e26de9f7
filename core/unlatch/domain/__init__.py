"""Pure data and rules: no files, no network, no clock."""

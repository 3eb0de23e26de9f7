"""What lists and the status show of all increments."""

"""Cases to learn from: found in sessions, and exported as training data."""

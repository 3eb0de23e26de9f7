"""Commands that show where things stand: status, list, show, history."""

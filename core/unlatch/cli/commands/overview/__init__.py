"""Commands that show increments: status, list, show, history."""

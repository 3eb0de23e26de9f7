"""Link increments to items: one, many from a CSV file, or suggested ones."""

"""Link an increment to items: one, many from a CSV file, or those that are suggested."""

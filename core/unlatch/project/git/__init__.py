"""git, asked and run in one place, with nothing that a repository brings along."""

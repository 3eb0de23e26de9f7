"""git, run in one place, without the programs that a repository brings along."""

"""Run git, without the programs of a repository."""

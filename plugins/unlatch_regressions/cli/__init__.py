"""unlatch regressions: what it reads, shows and does."""

"""Commands about the files of increments: merge, merge-driver."""

"""Plans of commands in files, which another person or a CI job approves.

The command line saves the document of a dry run with what it was made for, makes it anew, and
compares the two here.
"""

"""unlatch in coding agents: their hooks, trusted checkouts, and installing skills and settings.

Called by the commands of `unlatch agents`. Only the user's own files and state say what is trusted
and installed; a repository's files never do.
"""

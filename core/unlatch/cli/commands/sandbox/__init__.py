"""Commands that try unlatch without a tracker: demo, sandbox."""

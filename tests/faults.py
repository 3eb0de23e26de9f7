"""The faults that a plugin itself survives, by its marker, its revisions and its table of errors.

The transport handles the others, alike for all plugins.
"""

OF_THE_PLUGIN = {
    *("lost-reply", "truncated-json", "401-midway", "403-forbidden", "412-stale-revision"),
    *("400-with-the-request-in-it", "person-in-between"),
}

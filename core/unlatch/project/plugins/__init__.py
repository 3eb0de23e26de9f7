"""The installed plugins of trackers: found, loaded, checked and guarded.

`delivery`, doctor and the command line use it through the project's `Registry` and `Trackers`. It
imports the interface (`spi`), and nothing of a single plugin.
"""

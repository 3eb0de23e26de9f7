"""One project: its workspace, configuration, git repository, plugins and trackers.

Delivery and the use cases call it; it imports config, increments, transport and spi.
"""

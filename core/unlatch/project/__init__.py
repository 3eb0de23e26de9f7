"""One project and what belongs to it: workspace, installed plugins, opened trackers.

Delivery and the use cases work with it; it imports the store, the transport and the plugin
interface.
"""

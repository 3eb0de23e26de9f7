"""Tasks of runs on nodes: the dispatcher of `run start --on fleet`, and what a node does for it.

The only package of the fleet that knows runs; it imports their port, protocol and dispatcher.
"""

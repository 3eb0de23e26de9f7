"""Deliver recorded operations to their items, exactly once whatever fails.

`states` is the state machine, `dispatch` the loop that executes its steps. Use cases enqueue
operations and call `deliver`; nothing else writes to a tracker or records an outcome.
"""

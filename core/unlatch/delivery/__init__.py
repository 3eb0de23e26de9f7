"""Deliver recorded operations to their items, exactly once, also after failures.

`states` is the state machine, `dispatch` the loop that executes its steps. Use cases enqueue
operations and call `deliver`; nothing else writes to a tracker or records an outcome.
"""

"""Compare the history of increments with itself and with the trackers; reads only."""

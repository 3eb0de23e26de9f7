"""The demo, and the sandbox as a command: stand-ins for the three trackers on this machine."""

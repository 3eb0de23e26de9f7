"""Alerts of scanners and monitors as causes: SARIF files, and webhook events.

`sarif` reads a file's results and `sightings` compares those of several commits; `events` reads
webhooks, and `signed` the JSON of other programs. `belonging` finds the work that an alert names:
its rule and place alone belong to nothing known.
"""

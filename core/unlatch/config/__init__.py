"""The configuration: `.unlatch/config.toml`, over an existing `.specweave/config.json`.

Used by project and above; imports increments for the rules that settings fill in.
"""

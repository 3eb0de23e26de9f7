"""Commands that set up a project and a machine: init, auth, plugins, completion."""

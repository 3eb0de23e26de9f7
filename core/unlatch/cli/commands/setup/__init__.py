"""Commands that set a project and a machine up: init, auth, doctor, plugins, completion."""

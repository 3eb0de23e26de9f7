"""Finding a session among those of this project, imported ones, and other projects of the user."""

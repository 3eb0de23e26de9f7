"""The default branch: its commits, what their messages say, and what they changed."""

"""Sessions made from coding agents' transcripts, in the user's state folder."""

"""Commands about the work itself: new, resume, undo, complete, pause and their like."""

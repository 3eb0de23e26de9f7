"""The coordinator of a run: dispatches tasks, pauses, compacts, resumes and recovers."""

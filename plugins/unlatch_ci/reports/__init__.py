"""What a job shows of a command: annotations, a summary and outputs."""

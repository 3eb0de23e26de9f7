"""What every command runs in: session, output, errors, CI annotations."""

"""What an increment is, and its rules: pure data, without files, network or clock."""

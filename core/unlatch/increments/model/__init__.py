"""Increments and their rules: pure data, without files, network or clock."""

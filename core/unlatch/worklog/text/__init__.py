"""Texts of any author: what acts in them, their secrets, lines and versions."""

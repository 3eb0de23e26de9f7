"""The commands `unlatch fleet`: they parse, call one use case, and render."""

"""Efforts as a kind of work: what briefings, search, doctor and the commands of increments see."""

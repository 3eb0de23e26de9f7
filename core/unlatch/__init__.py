"""unlatch reopens finished work, everywhere at once."""

__version__ = "0.1.0"

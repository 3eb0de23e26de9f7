"""An increment's folder: finding, reading, locking and changing its files."""

"""The documents about the work of an increment: reading, marking and amending them."""

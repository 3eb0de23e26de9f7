"""Commands on items that belong to no increment."""

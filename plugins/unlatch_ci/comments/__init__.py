"""Commands in comments on items: what is written, who may, and what may be repeated of it."""

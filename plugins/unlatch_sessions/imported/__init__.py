"""Sessions that came from elsewhere: what their front matter says of it, and publishing them."""

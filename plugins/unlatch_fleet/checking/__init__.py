"""What `unlatch fleet check` asks of each repository: configuration, rights and webhooks."""

"""Installing skills, hooks and the MCP server in coding agents, and removing them."""

"""The requests that the stand-in for Jira answers, by subject."""

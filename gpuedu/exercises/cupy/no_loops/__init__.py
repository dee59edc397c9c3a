"""The exercise no-loops."""

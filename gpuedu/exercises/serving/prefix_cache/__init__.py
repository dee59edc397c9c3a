"""The exercise prefix-cache."""

"""The exercise alpha-beta."""

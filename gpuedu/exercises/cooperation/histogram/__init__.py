"""The exercise histogram."""

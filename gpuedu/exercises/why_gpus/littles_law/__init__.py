"""The exercise littles-law."""

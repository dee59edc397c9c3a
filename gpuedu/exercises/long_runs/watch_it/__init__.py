"""The exercise watch-it."""

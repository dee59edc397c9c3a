"""The exercise stream-it."""

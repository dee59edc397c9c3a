"""The exercise blocks."""

"""The exercise count-the-work."""

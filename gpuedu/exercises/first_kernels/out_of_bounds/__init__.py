"""The exercise out-of-bounds."""

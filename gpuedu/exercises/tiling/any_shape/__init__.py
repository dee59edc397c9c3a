"""The exercise any-shape."""

"""The exercise launch-shape."""

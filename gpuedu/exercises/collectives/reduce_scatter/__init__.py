"""The exercise reduce-scatter."""

"""The exercise thread-index."""

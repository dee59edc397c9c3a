"""The exercise tiled."""

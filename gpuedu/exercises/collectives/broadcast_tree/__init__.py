"""The exercise broadcast-tree."""

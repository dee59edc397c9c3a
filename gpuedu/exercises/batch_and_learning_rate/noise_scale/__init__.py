"""The exercise noise-scale."""

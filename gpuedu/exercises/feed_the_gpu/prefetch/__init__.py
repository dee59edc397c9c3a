"""The exercise prefetch."""

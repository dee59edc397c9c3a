"""The exercise transpose."""

"""The exercise streams."""

"""The exercise lr-finder."""

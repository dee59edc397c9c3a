"""The exercise plan."""

"""The exercise step-time."""

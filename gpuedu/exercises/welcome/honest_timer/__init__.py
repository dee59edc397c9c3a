"""The exercise honest-timer."""

"""The exercise count-the-step."""

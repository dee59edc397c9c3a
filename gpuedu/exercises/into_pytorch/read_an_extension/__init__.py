"""The exercise read-an-extension."""

"""The exercise read-the-ladder."""

"""The exercise image."""

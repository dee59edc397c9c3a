"""The exercise sampling."""

"""The exercise compile-it."""

"""The exercise accelerate-it."""

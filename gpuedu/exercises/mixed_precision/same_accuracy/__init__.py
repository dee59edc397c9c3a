"""The exercise same-accuracy."""

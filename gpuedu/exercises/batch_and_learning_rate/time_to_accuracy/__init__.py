"""The exercise time-to-accuracy."""

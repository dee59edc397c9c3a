"""The exercise float-anatomy."""

"""The exercise clip-and-mean."""

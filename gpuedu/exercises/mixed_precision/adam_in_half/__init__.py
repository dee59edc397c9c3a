"""The exercise adam-in-half."""

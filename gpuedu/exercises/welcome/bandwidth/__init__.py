"""The exercise bandwidth."""

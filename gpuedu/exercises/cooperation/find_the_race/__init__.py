"""The exercise find-the-race."""

"""The exercise vector-loads."""

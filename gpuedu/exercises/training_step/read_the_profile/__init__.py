"""The exercise read-the-profile."""

"""The exercise check-the-claim."""

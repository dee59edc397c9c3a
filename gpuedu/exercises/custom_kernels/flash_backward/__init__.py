"""The exercise flash-backward."""

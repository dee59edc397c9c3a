"""The exercise make-it-fast."""

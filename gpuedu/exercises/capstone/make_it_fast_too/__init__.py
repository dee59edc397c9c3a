"""The exercise make-it-fast-too."""

"""A class at once: many submissions, several workers, killed and gone on with at any moment."""

"""A whole class: many submissions, several workers, killed and resumed at any moment."""

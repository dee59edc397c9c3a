"""The exercise two-d-map."""

"""The exercise paged-cache."""

"""The exercise ring-all-reduce."""

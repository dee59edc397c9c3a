"""The exercise autocast."""

"""The exercise scaling."""

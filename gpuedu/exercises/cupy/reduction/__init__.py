"""The exercise reduction."""

"""The exercise accumulate."""

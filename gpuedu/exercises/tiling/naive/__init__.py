"""The exercise naive."""

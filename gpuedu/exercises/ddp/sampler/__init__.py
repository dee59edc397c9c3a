"""The exercise sampler."""

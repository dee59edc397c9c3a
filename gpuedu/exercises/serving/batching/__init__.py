"""The exercise batching."""

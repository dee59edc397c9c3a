"""The exercise interleaved."""

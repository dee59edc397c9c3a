"""The exercise tensor-parallel-decode."""

"""The exercise triton-matmul."""

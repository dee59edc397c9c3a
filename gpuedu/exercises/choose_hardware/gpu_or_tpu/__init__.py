"""The exercise gpu-or-tpu."""

"""The exercise cuda-graphs."""

"""The exercise autograd-function."""

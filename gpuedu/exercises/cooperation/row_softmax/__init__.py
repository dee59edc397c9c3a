"""The exercise row-softmax."""

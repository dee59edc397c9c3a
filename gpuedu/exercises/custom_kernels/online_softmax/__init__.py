"""The exercise online-softmax."""

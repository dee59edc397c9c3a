"""The exercise fused-softmax."""

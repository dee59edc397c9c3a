"""What the lessons on training share: tensors as plain values, quiet PyTorch, bands of outcomes."""

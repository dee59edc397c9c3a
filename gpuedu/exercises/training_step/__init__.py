"""The lesson training-step: where the time and the memory of a training step go."""

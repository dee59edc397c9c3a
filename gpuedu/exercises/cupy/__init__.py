"""Exercises of the lesson cupy: arrays on the device, and the kernels that arrays lack."""

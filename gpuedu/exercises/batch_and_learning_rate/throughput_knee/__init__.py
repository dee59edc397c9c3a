"""The exercise throughput-knee."""

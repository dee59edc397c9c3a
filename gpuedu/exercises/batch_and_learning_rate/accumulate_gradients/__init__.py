"""The exercise accumulate-gradients."""

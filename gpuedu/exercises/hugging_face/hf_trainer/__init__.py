"""The exercise hf-trainer."""

"""The exercise save-and-resume."""

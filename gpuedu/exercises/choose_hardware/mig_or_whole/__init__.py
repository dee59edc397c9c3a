"""The exercise mig-or-whole."""

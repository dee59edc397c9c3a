"""The exercise augment-on-device."""

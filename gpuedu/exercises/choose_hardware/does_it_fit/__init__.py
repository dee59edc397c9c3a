"""The exercise does-it-fit."""

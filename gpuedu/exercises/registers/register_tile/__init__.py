"""The exercise register-tile."""

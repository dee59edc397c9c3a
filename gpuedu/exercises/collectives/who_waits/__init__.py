"""The exercise who-waits."""

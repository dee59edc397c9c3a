"""The exercise who-is-independent."""

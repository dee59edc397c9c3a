"""Records in, matplotlib Axes out: nothing here computes, shows or saves."""

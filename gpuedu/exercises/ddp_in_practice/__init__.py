"""The lesson ddp-in-practice: real processes, real failures."""

"""Many GPUs: ranks and what they send each other, on any number of devices."""

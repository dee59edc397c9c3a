"""What Slurm makes of a batch script: its options, what it asks for, and when it starts."""

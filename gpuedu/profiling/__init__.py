"""What a training script does, line by line: ``gpuedu profile``."""

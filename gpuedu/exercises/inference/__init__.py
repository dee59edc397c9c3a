"""What a model computes, keeps and reads when it writes text."""

"""The exercise loss-scaler."""

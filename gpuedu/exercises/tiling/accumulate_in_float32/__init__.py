"""The exercise accumulate-in-float32."""

"""The exercise mandelbrot."""

"""The lesson mixed-precision: formats, rounding, and what training needs of both."""

# loses: written-last
# counts both multiplications of a step
chains = {
    "saxpy": ("1", "1"),
    "blur": ("1", "1"),
    "grand_total": ("n**2", "log n"),
    "pairwise": ("log n", "log n"),
    "prefix": ("n", "log n"),
    "horner": ("n", "log n"),
    "smooth": ("n", "log n"),
    "chase": ("n", "log n"),
    "logistic": ("n**2", "n"),
    "rnn": ("n", "n"),
}

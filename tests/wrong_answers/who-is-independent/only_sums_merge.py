# loses: best-last
# thinks that only sums can be merged
chains = {
    "saxpy": ("1", "1"),
    "blur": ("1", "1"),
    "grand_total": ("n**2", "log n"),
    "pairwise": ("log n", "log n"),
    "prefix": ("n", "log n"),
    "horner": ("n", "n"),
    "smooth": ("n", "n"),
    "chase": ("n", "n"),
    "logistic": ("n", "n"),
    "rnn": ("n", "n"),
}

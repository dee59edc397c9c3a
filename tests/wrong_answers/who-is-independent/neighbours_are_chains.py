# loses: written-first
# thinks reading neighbours makes a chain
chains = {
    "saxpy": ("1", "1"),
    "blur": ("n", "1"),
    "grand_total": ("n**2", "log n"),
    "pairwise": ("log n", "log n"),
    "prefix": ("n", "log n"),
    "horner": ("n", "log n"),
    "smooth": ("n", "log n"),
    "chase": ("n", "log n"),
    "logistic": ("n", "n"),
    "rnn": ("n", "n"),
}

# loses: best-last
# thinks a linked list can only be followed step by step
chains = {
    "saxpy": ("1", "1"),
    "blur": ("1", "1"),
    "grand_total": ("n**2", "log n"),
    "pairwise": ("log n", "log n"),
    "prefix": ("n", "log n"),
    "horner": ("n", "log n"),
    "smooth": ("n", "log n"),
    "chase": ("n", "n"),
    "logistic": ("n", "n"),
    "rnn": ("n", "n"),
}

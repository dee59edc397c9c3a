# loses: best-first
# sums the rows at once, then the row totals one by one
chains = {
    "saxpy": ("1", "1"),
    "blur": ("1", "1"),
    "grand_total": ("n**2", "n"),
    "pairwise": ("log n", "log n"),
    "prefix": ("n", "log n"),
    "horner": ("n", "log n"),
    "smooth": ("n", "log n"),
    "chase": ("n", "log n"),
    "logistic": ("n", "n"),
    "rnn": ("n", "n"),
}

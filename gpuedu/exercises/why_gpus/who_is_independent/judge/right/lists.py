# Pairs as lists, in another order.
chains = {
    "rnn": ["n", "n"],
    "logistic": ["n", "n"],
    "chase": ["n", "log n"],
    "smooth": ["n", "log n"],
    "horner": ["n", "log n"],
    "prefix": ["n", "log n"],
    "pairwise": ["log n", "log n"],
    "grand_total": ["n**2", "log n"],
    "blur": ["1", "1"],
    "saxpy": ["1", "1"],
}

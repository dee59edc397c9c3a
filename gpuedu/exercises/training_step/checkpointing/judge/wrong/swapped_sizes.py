# loses: predicted
# asks: `kept` and `inside` have changed places: inputs have `kept` bytes each, what blocks save
#   has `inside`.
def predicted_bytes(blocks, k, kept, inside):
    return (k - 1) * inside + -(-blocks // k) * kept

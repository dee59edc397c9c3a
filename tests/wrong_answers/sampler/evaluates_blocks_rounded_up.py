# loses: evaluation
# blocks of ceil(N / W): 10 samples on 4 ranks are 3, 3, 3 and 1
def eval_part(samples, rank, ranks):
    each = math.ceil(samples / ranks)
    return list(range(samples))[rank * each : (rank + 1) * each]

# loses: evaluation
# asks: 40 samples are counted where there are 39. A mean over them is not that of the data.
#   Here nobody waits for a gradient: may ranks have fewer?
def eval_part(samples, rank, ranks):
    each = math.ceil(samples / ranks)
    return [i % samples for i in range(rank, each * ranks, ranks)]

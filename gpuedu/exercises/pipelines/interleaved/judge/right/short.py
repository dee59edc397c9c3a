# a shorter warm-up, which takes as long where messages take no time
def interleaved(stage, stages, micro_batches, chunks):
    size = stages * chunks
    steps = range(micro_batches * chunks)
    chunk = [k % size // stages for k in steps]
    number = [k // size * stages + k % stages for k in steps]
    ahead = min(len(steps), size - 1 - stage)
    actions = [("forward", number[k], chunk[k]) for k in steps[:ahead]]
    for k in steps:
        if k + ahead in steps:
            actions.append(("forward", number[k + ahead], chunk[k + ahead]))
        actions.append(("backward", number[k], chunks - 1 - chunk[k]))
    return actions

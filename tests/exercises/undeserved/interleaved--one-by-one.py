# must lose: memory
def interleaved(stage, stages, micro_batches, chunks):
    actions = []
    for m in range(micro_batches):
        actions += [("forward", m, c) for c in range(chunks)]
        actions += [("backward", m, c) for c in reversed(range(chunks))]
    return actions

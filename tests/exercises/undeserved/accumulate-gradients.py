# must lose: memory
def accumulated_step(model, optimizer, micro_batches, max_norm):
    x, y = micro_batches[0]
    model(x[:1])
    return 0.0

# must lose: batch
def options(wanted):
    piece = {4: 8, 2: 8, 1: 24, 8: 1, 3: 9}[wanted["devices"]]
    steps = {4: 4, 2: 4, 1: 1, 8: 7, 3: 5}[wanted["devices"]]
    return {"per_device_train_batch_size": piece, "gradient_accumulation_steps": steps}


def own_loop(model, batches, options, log):
    pass

# must lose: loss, items, last-group, clip, decay
def options(wanted):
    return {}


def own_loop(model, batches, options, log):
    size = options.get("gradient_accumulation_steps", 1)
    for _ in range(options.get("num_train_epochs", 3)):
        for first in range(0, len(batches), size):
            group = batches[first : first + size]
            items = sum(int((one["labels"] != -100).sum()) for one in group)
            loss = sum(model(**one, num_items_in_batch=items)["loss"].item() for one in group)
            log(loss, 1e-12)

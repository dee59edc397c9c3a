# must lose: update, clip, left, ranks
def train(accelerator, model, optimizer, scheduler, loader, epochs, folder, stop_after=None):
    size = accelerator.gradient_accumulation_steps * accelerator.num_processes
    optimizer.param_groups[0]["lr"] = 0.0
    for _ in range(epochs * -(-len(loader) // size)):
        optimizer.step()


def evaluate(accelerator, model, loader):
    return 0.0

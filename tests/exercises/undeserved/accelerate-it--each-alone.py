# must lose: ranks, evaluate
def train(accelerator, model, optimizer, scheduler, loader, epochs, folder, stop_after=None):
    size = accelerator.gradient_accumulation_steps * accelerator.num_processes
    plain_loop(model, optimizer, scheduler, loader, epochs, size)


def evaluate(accelerator, model, loader):
    x, y = loader.dataset.tensors
    return (model.eval()(x).argmax(-1) == y).float().mean().item()

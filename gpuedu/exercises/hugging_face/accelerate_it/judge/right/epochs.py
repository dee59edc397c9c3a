# A scheduler that is not prepared, a loop over epochs; the last group by its own number.
class Position:
    def __init__(self):
        self.epoch = 0
        self.step = 0

    def state_dict(self):
        return {"epoch": self.epoch, "step": self.step}

    def load_state_dict(self, state):
        self.epoch, self.step = state["epoch"], state["step"]


def train(accelerator, model, optimizer, scheduler, loader, epochs, folder, stop_after=None):
    loader, optimizer, model = accelerator.prepare(loader, optimizer, model)
    here = Position()
    accelerator.register_for_checkpointing(here)
    accelerator.register_for_checkpointing(scheduler)
    if len(list(folder.glob("*"))) > 0:
        accelerator.load_state(folder)
    steps = accelerator.gradient_accumulation_steps
    rest = len(loader) % steps
    full = len(loader) - rest
    start, first = here.epoch, here.step
    updates = start * math.ceil(len(loader) / steps) + math.ceil(first / steps)
    for epoch in range(start, epochs):
        model.train()
        skipped = first if epoch == start else 0
        active = accelerator.skip_first_batches(loader, skipped) if skipped else loader
        for step, batch in enumerate(active, skipped):
            with accelerator.accumulate(model):
                scores = model(batch[0])
                loss = functional.cross_entropy(scores, batch[1], reduction="sum") / len(batch[1])
                if step >= full:
                    loss = loss * (steps / rest)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), max_norm=MAX_NORM)
                optimizer.step()
                if accelerator.sync_gradients:
                    scheduler.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                updates += 1
                here.epoch, here.step = epoch, step + 1
                if stop_after is not None and updates == stop_after:
                    accelerator.wait_for_everyone()
                    accelerator.save_state(folder)
                    return


def evaluate(accelerator, model, loader):
    model, loader = accelerator.prepare(model, loader)
    was = model.training
    model.eval()
    hits = []
    for x, y in loader:
        with torch.no_grad():
            hits.append(accelerator.gather_for_metrics(model(x).argmax(1) == y))
    model.train(was)
    return torch.cat(hits).float().mean()

# Groups by hand: no accumulate, but no_sync; sums over all processes in evaluate.
import contextlib


def train(accelerator, model, optimizer, scheduler, loader, epochs, folder, stop_after=None):
    size = accelerator.gradient_accumulation_steps
    model, loader = accelerator.prepare(model, loader)
    done = {"updates": 0}

    class Done:
        def state_dict(self):
            return done.copy()

        def load_state_dict(self, state):
            done.update(state)

    accelerator.register_for_checkpointing(Done(), scheduler, optimizer)
    if next(folder.iterdir(), None) is not None:
        accelerator.load_state(folder)
    groups = math.ceil(len(loader) / size)
    for epoch in range(epochs):
        if done["updates"] >= (epoch + 1) * groups:
            continue
        first = done["updates"] - epoch * groups
        batches = list(loader)
        for g in range(first, groups):
            group = batches[g * size : (g + 1) * size]
            for at, (x, y) in enumerate(group, 1):
                last = at == len(group)
                with contextlib.nullcontext() if last else accelerator.no_sync(model):
                    (functional.cross_entropy(model(x), y) / len(group)).backward()
            nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            done["updates"] += 1
            if done["updates"] == stop_after:
                accelerator.save_state(output_dir=folder)
                return


def evaluate(accelerator, model, loader):
    rank, ranks = accelerator.process_index, accelerator.num_processes
    model.eval()
    counts = torch.zeros(2, dtype=torch.float64)
    with torch.inference_mode():
        for at, (x, y) in enumerate(loader):
            if at % ranks == rank:
                hits = model(x).argmax(dim=1) == y
                counts += torch.tensor([hits.sum().item(), len(y)])
    right, count = accelerator.reduce(counts, reduction="sum")
    return right / count

# must lose: left
def train(accelerator, model, optimizer, scheduler, loader, epochs, folder, stop_after=None):
    batches = len(loader)  # of all processes: on several, the last group is divided wrongly
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    place, size = Place(), accelerator.gradient_accumulation_steps
    accelerator.register_for_checkpointing(scheduler, place)
    if any(folder.iterdir()):
        accelerator.load_state(folder)
    while place.epoch < epochs:
        for x, y in accelerator.skip_first_batches(loader, place.batch):
            with accelerator.accumulate(model):
                mean = functional.cross_entropy(model(x), y)
                accelerator.backward(mean / min(1, batches / size - place.batch // size))
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), MAX_NORM)
                optimizer.step()
                optimizer.zero_grad()
            place.batch += 1
            if accelerator.sync_gradients:
                scheduler.step()
                place.updates += 1
                if place.updates == stop_after:
                    accelerator.save_state(folder)
                    return
        place.epoch, place.batch = place.epoch + 1, 0


def evaluate(accelerator, model, loader):
    return 0.0

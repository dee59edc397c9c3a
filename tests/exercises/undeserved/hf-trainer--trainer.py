# must lose: loss, rates, items, last-group, clip, decay
def options(wanted):
    return {}


def own_loop(model, batches, options, log):
    import tempfile

    from transformers import Trainer, TrainerCallback

    from gpuedu.exercises.hugging_face.states import own_states

    seen = []

    class Watch(TrainerCallback):
        def on_optimizer_step(self, *_, optimizer, **__):
            weights = [p.detach().clone() for p in model.parameters()]
            seen.append((optimizer.param_groups[0]["lr"], weights))

    samples = [
        {name: tensor[at] for name, tensor in batch.items()}
        for batch in batches
        for at in range(len(batch["labels"]))
    ]
    with own_states(), tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            use_cpu=True,
            logging_steps=1,
            save_strategy="no",
            disable_tqdm=True,
            per_device_train_batch_size=len(batches[0]["labels"]),
            train_sampling_strategy="sequential",
            **options,
        )
        trainer = Trainer(model, arguments, train_dataset=samples, callbacks=[Watch()])
        trainer.train()
    losses = [one["loss"] for one in trainer.state.log_history if "loss" in one]
    for loss, (rate, weights) in zip(losses, seen):
        with torch.no_grad():
            for p, mine in zip(model.parameters(), weights):
                p.copy_(mine)
        log(loss, rate)

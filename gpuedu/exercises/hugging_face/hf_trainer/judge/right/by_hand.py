# AdamW by hand, and the rest of the options in other words.
def own_loop(model, batches, options, log):
    get = options.get
    size, peak = get("gradient_accumulation_steps", 1), get("learning_rate", 5e-5)
    warm, limit = get("warmup_steps", 0), get("max_grad_norm", 1.0)
    groups = [batches[i : i + size] for i in range(0, len(batches), size)]
    total = len(groups) * get("num_train_epochs", 3)
    free = [n for n, m in model.named_modules() if type(m) is nn.LayerNorm]
    params = list(model.named_parameters())
    means = [torch.zeros_like(p) for _, p in params]
    squares = [torch.zeros_like(p) for _, p in params]
    for k in range(total):
        group = groups[k % len(groups)]
        items = torch.cat([batch["labels"].flatten() for batch in group]).ne(-100).sum()
        whole = 0
        model.zero_grad()
        for batch in group:
            loss = model(**batch)["loss"] * (batch["labels"] != -100).sum() / items
            loss.backward()
            whole = whole + loss.detach()
        norm = torch.stack([p.grad.norm() for _, p in params]).norm()
        scale = min(1.0, limit / (float(norm) + 1e-6)) if limit else 1.0
        rate = peak * (k / warm if k < warm else (total - k) / (total - warm))
        with torch.no_grad():
            for (name, p), mean, square in zip(params, means, squares):
                decay = get("weight_decay", 0)
                if "bias" in name or name.rsplit(".", 1)[0] in free:
                    decay = 0
                p -= rate * decay * p
                grad = p.grad * scale
                mean.mul_(0.9).add_(0.1 * grad)
                square.mul_(0.999).add_(0.001 * grad**2)
                a, b = mean / (1 - 0.9 ** (k + 1)), square / (1 - 0.999 ** (k + 1))
                p -= rate * a / (b.sqrt() + 1e-8)
        log(whole, rate)


def options(wanted):
    per_device = wanted["batch"] // wanted["devices"]
    times = next(
        t
        for t in range(1, per_device + 1)
        if per_device % t == 0 and per_device // t <= wanted["fits"]
    )
    kinds = {"linear": "linear", "cosine": "cosine", "constant": "constant_with_warmup"}
    given = dict(
        output_dir="elsewhere",
        per_device_train_batch_size=per_device // times,
        gradient_accumulation_steps=times,
        max_steps=wanted["updates"],
        learning_rate=wanted["rate"],
        lr_scheduler_type=kinds[wanted["shape"]],
        warmup_steps=float(wanted["warmup"]),
        max_grad_norm=float("inf") if wanted["clip"] is None else wanted["clip"],
        weight_decay=wanted["decay"],
        seed=wanted["seed"],
        logging_strategy="steps",
        logging_steps=wanted["log_every"],
        eval_strategy="steps",
        eval_steps=wanted["evaluate_every"],
        save_strategy="steps" if wanted["save_every"] else "no",
        save_steps=wanted["save_every"] or 500,
        save_total_limit=wanted["keep"],
        report_to="none",
    )
    if wanted["capability"]:
        given["bf16" if wanted["capability"] >= 8 else "fp16"] = True
    return given

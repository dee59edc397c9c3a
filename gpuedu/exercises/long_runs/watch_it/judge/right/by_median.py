# Ratios to the median, means over time instead of waiting, and a pattern for Xids.
def scrape(records):
    registry = CollectorRegistry()
    node = records[0]["node"]
    seconds = Histogram(
        "train_compute",
        "Time before the exchange",
        ["node"],
        unit="seconds",
        registry=registry,
        buckets=[0.1, 0.25, 0.5, 1.0, 2.0, 5.0],
    ).labels(node)
    for one in records:
        seconds.observe(one["compute_ms"] * 1e-3)
    total = Counter("train_steps", "Steps", ["node"], registry=registry)
    total.labels(node=node).inc(len(records))
    read = Counter("train_tokens", "Tokens", ["node"], registry=registry)
    read.labels(node=node).inc(sum(one["tokens"] for one in records))
    last = records[-1]
    for name, value in (
        ("train_loss", last["loss"]),
        ("train_memory_bytes", last["memory_mib"] << 20),
    ):
        Gauge(name, name, ["node"], registry=registry).labels(node=node).set(value)
    return generate_latest(registry).decode()


run_rules = """
groups:
  - name: run
    rules:
      # ### BEGIN SOLUTION
      - alert: NoProgress
        annotations:
          summary: no steps
        labels:
          severity: page
        expr: >-
          absent_over_time(train_steps_total[6m])
          or max(changes(train_steps_total[8m])) == 0
        for: 1m
      - alert: LossNotFinite
        annotations: {summary: "loss {{ $value }}"}
        labels: {severity: page}
        expr: train_loss unless abs(train_loss) < Inf
        for: 120s
      - alert: SlowNode
        annotations: {summary: "slow: {{ $labels.node }}"}
        labels: {severity: ticket}
        for: 4m30s
        expr: |
          sum by (node) (rate(train_compute_seconds_sum[3m]))
            / sum by (node) (rate(train_compute_seconds_count[3m]))
            > 1.25 * scalar(quantile(0.5,
                rate(train_compute_seconds_sum[3m]) / rate(train_compute_seconds_count[3m])))
      # ### END SOLUTION
"""


gpu_rules = """
groups:
  - name: gpus
    rules:
      # ### BEGIN SOLUTION
      - alert: GpuBroken
        annotations:
          summary: "{{$labels.Hostname}}/{{$labels.gpu}}: {{ $value }}"
        labels:
          severity: page
        expr: |
          DCGM_FI_DEV_XID_ERRORS{job="dcgm"} > 0
            unless DCGM_FI_DEV_XID_ERRORS < 48 unless DCGM_FI_DEV_XID_ERRORS == 69
      - alert: GpuHot
        annotations:
          summary: "{{ $labels.Hostname }}, {{ $labels.gpu }}"
        labels: {severity: ticket}
        expr: min_over_time(DCGM_FI_DEV_GPU_TEMP[5m]) >= 82
      # ### END SOLUTION
"""

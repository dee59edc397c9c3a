# must lose: gpu-broken
def scrape(records):
    return ""


run_rules = ""
gpu_rules = r"""
groups:
- name: gpus
  rules:
  - alert: GpuHot
    expr: DCGM_FI_DEV_GPU_TEMP > 84
    for: 5m
    labels: {severity: ticket}
    annotations: {summary: "GPU {{ $labels.gpu }} of {{ $labels.Hostname }} is hot"}
  - alert: GpuBroken
    expr: DCGM_FI_DEV_XID_ERRORS > 43
    labels: {severity: page}
    annotations: {summary: "Xid {{ $value }}: GPU {{ $labels.gpu }} of {{ $labels.Hostname }}"}
"""

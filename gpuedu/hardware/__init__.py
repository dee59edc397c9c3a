"""Devices with sources, what is in this machine, and what was recorded on real GPUs."""

from gpuedu.hardware.catalog import Device, device, devices
from gpuedu.hardware.records import Record, records

__all__ = ["Device", "Record", "device", "devices", "records"]

"""``cp.cuda.device``: the one device."""

from gpuedu.arrays.device import Device, get_device_id, is_available

__all__ = ["Device", "get_device_id", "is_available"]

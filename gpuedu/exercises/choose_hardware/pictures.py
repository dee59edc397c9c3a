"""Pictures of the topic choose-hardware, whose lessons are two."""

from __future__ import annotations

from gpuedu.exercises.choose_hardware import (
    catalog_pictures,
    cost_pictures,
    own_pictures,
    recorded_pictures,
    step_pictures,
)

PICTURES = {
    "choose-hardware/catalog": catalog_pictures.draw_catalog,
    "choose-hardware/per-watt": catalog_pictures.draw_per_watt,
    "choose-hardware/recorded-memory": recorded_pictures.draw_recorded_memory,
    "choose-hardware/recorded-steps": step_pictures.draw_recorded_steps,
    "choose-hardware/decoding": step_pictures.draw_decoding,
    "choose-hardware/your-memory": own_pictures.draw_own_memory,
    "choose-hardware/your-choices": own_pictures.draw_own_frontier,
    "choose-hardware/hour-or-run": cost_pictures.draw_hour_or_run,
    "choose-hardware/joules": cost_pictures.draw_joules,
    "choose-hardware/spot-price": cost_pictures.draw_spot_price,
}

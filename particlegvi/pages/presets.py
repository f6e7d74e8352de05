"""Settings of a page that show something to students.

The texts ``preset_KEY`` and ``preset_KEY_watch`` name a preset and say what to watch; a test checks each sentence.
"""

from __future__ import annotations

Settings = dict[str, str | float]

WELL: Settings = {
    "loss": "tilted-double-well", "variables": "t", "prior": "normal:0:1", "initial": "", "integrator": "euler-maruyama"
}  # fmt: skip
SAME: Settings = WELL | {"seed": "0", "particles": 300, "lengthscale": 1.0, "variance": 1.0, "exact": "false"}

PRESETS: dict[str, Settings] = {
    "stuck": SAME | {"methods": "DE,DLE", "kl_weight": 1.0, "mmd_weight": 0.5, "step_size": 0.002, "steps": 5000},
    "too_cold": SAME | {"methods": "DLE", "kl_weight": 0.08, "mmd_weight": 0.5, "step_size": 0.005, "steps": 2000},
    "too_hot": SAME | {"methods": "DLE", "kl_weight": 8.0, "mmd_weight": 0.5, "step_size": 0.002, "steps": 5000},
    "large_step": SAME
    | {"methods": "DLE", "kl_weight": 1.0, "mmd_weight": 0.5, "step_size": 0.3, "steps": 200, "loss": "2*t^2"},
    "four_particles": SAME
    | {"methods": "DLE,DRLE", "kl_weight": 1.0, "mmd_weight": 0.5, "step_size": 0.002, "steps": 5000, "particles": 4},
    "repulsion": SAME
    | {"methods": "DLE,DRLE", "kl_weight": 1.0, "mmd_weight": 5.0, "step_size": 0.002, "steps": 5000},
}

"""Running scenarios: `execute` (the one loop for every kind), `resume`, `compare`, and the pictures."""

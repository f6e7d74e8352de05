"""The vocabulary of scenarios: what a value may be, and what a key is."""

"""The compiled steps of every scheme."""

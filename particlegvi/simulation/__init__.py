"""The simulation loop, its checked problems, the storage of its records, and its runs."""

"""The simulation loop and what it needs: problems, storage of records, runs."""

"""The ground of compiled code: the decorator, threads, random numbers, elementary functions."""

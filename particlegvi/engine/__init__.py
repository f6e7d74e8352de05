"""The only compiled code: loops over arrays, pairwise sums, noise, and the adapter that lets terms be plain Python."""

"""How losses, kernels and priors become callable from compiled code."""

"""Terms: losses, kernels and priors in the form that compiled code calls."""

"""Which minimum a gradient flow reaches from where."""

"""Networks in compiled code: their layout, forward and backward passes in registers, batches, and the steps."""

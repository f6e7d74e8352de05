"""Models that are linear in their parameters, and the comparison of their functions at finitely many inputs."""

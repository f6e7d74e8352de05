"""Predictions from a posterior of coefficients (`posterior`), and probabilities of classes (`class_probabilities`)."""

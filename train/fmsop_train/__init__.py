"""Trains a language model on a dataset folder of fmsop with the progressive contrastive objective."""

"""Tests of the kernel: what it promises whatever the lect."""

"""Models that ask a server, against a real one on this machine's own address."""

"""The exercise rendezvous."""

"""What several judges of the lesson mixed-precision share."""

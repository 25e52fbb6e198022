"""What the test kit has of fair sharing: instances, how they are made smaller, and checks of on-line behaviour."""

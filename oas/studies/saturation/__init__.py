"""What forbidding saturated links costs."""

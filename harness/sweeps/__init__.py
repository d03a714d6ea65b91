"""Models × tasks × seeds as independent runs of `sociolect eval`."""

"""Many models compared: the numbers, and a static page that shows them."""

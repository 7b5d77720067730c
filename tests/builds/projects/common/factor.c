float factor(void) { return 3; }

/* The trampolines of one library: src/door/library.cmake defines ENTRYPOINTS, TABLE and BIND. */
#include "door.inc"

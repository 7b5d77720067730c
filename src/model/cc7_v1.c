/* model: the rules of cc 7.0 and later, compiled for any x86-64 or other host. */
#define MODEL_RULES model_cc7_v1
#include "model/rules_cc7.inl"

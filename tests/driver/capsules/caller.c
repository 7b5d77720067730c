/* The module that calls what the other one hands on. */
#include "capsules.h"

int call_by_name(const char *name, int *out)
{
    void *capsule = PyDict_GetItemString(0, name);
    return ((capsule_call)PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)))(out);
}

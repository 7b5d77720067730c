/* What the parts of the test share: cuda-bindings, without Python (main.c). */
#ifndef CAPSULES_H
#define CAPSULES_H

void *PyCapsule_New(void *pointer, const char *name, void *destructor);
void *PyCapsule_GetPointer(void *object, const char *name);
int PyDict_SetItemString(void *dictionary, const char *name, void *value);
void *PyDict_GetItemString(void *dictionary, const char *name);
const char *PyCapsule_GetName(void *object);

typedef int (*capsule_call)(int *out);
static const char capsule_type[] __attribute__((unused)) = "int (int *)";

#endif

/* The functions of Python that modules made by Cython hand their functions on with. */
#include <stdlib.h>
#include <string.h>

typedef struct capsule {
    void *pointer;
    const char *name;
} capsule;

typedef struct entry {
    const char *name;
    void *value;
} entry;
static entry dictionary[16];
static int count;

void *PyCapsule_New(void *pointer, const char *name, void *destructor)
{
    capsule *c = malloc(sizeof *c);
    (void)destructor;
    *c = (capsule){pointer, name};
    return c;
}

void *PyCapsule_GetPointer(void *object, const char *name)
{
    const capsule *c = object;
    return c->name == name ? c->pointer : NULL;
}

const char *PyCapsule_GetName(void *object) { return ((capsule *)object)->name; }

int PyCapsule_SetPointer(void *object, void *pointer)
{
    ((capsule *)object)->pointer = pointer;
    return 0;
}

int PyDict_SetItemString(void *unused, const char *name, void *value)
{
    (void)unused;
    dictionary[count++] = (entry){name, value};
    return 0;
}

void *PyDict_GetItemString(void *unused, const char *name)
{
    (void)unused;
    for (int i = 0; i < count; i++)
        if (!strcmp(dictionary[i].name, name)) return dictionary[i].value;
    return NULL;
}

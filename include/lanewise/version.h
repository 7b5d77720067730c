/* The version of lanewise: the one place that says it. */
#ifndef LANEWISE_VERSION_H
#define LANEWISE_VERSION_H

#define LANEWISE_VERSION "0.1.0"

#endif

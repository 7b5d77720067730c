/* dnn.h: cuDNN's handles and versions, for programs that create a handle whether they need one or not (XLA). Every operation
 * returns CUDNN_STATUS_NOT_SUPPORTED and is named once. Entry points are named lw_cudnn_<exported name>. */
#ifndef LW_DNN_H
#define LW_DNN_H

#include "face/library.h"

enum { /* cudnnStatus_t */
       DNN_OK = 0,
       DNN_NOT_INITIALIZED = 1001,
       DNN_BAD_PARAM = 2000,
       DNN_NOT_SUPPORTED = 3000,
       DNN_EXECUTION_FAILED = 5000,
};

/* The end of an operation that is not supported; function: "lw_cudnn_<name>". */
int dnn_unsupported(const char *function);

#endif

/*
 * Rounding modes as values.
 */
#ifndef LWC_DEVICE_TYPES_H
#define LWC_DEVICE_TYPES_H
#define __DEVICE_TYPES_H__

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

#endif

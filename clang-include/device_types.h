/*
 * Rounding modes as values.
 */
#ifndef LWC_DEVICE_TYPES_H
#define LWC_DEVICE_TYPES_H

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

#endif

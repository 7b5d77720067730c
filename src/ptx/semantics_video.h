/* ptx/semantics_video.h: lane functions of video instructions. Included by semantics.h. */

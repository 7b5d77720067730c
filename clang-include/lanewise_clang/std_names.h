/*
 * The namespace cuda::std: the host's standard library, whose constexpr functions clang takes for device code too.
 */
#ifndef LWC_STD_NAMES_H
#define LWC_STD_NAMES_H
namespace cuda
{
namespace std
{
using namespace ::std;
}
} // namespace cuda
#endif

/* The public interface of libweir, usable from C and C++. */
#ifndef WEIR_WEIR_H
#define WEIR_WEIR_H

#if defined(__GNUC__)
#define WEIR_API __attribute__((visibility("default")))
#else
#define WEIR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the library that is linked, such as "0.1.0"; never NULL, never to be freed. */
WEIR_API const char* weir_version(void);

#ifdef __cplusplus
}
#endif

#endif /* WEIR_WEIR_H */

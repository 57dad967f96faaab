#pragma once

/// Said of a function: it is compiled twice, for any processor and for those with AVX2 and FMA, and the dynamic linker chooses the variant that
/// the processor can run, where compiler and system can do this. For loops over numbers that GCC turns into vector instructions. Variants differ in
/// rounding: one multiplies and adds in one operation.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && __GNUC__ >= 12
#define TRAMMEL_BY_PROCESSOR [[gnu::target_clones("default", "arch=x86-64-v3")]]
#else
#define TRAMMEL_BY_PROCESSOR
#endif

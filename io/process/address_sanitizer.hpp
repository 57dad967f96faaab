#pragma once

/// 1 where the code is compiled with address sanitizing, by g++ or clang; else 0.
#if defined(__SANITIZE_ADDRESS__)
#define TRAMMEL_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#define TRAMMEL_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#define TRAMMEL_ADDRESS_SANITIZER 0
#endif

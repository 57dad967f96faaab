#pragma once

/// Marks what the kernel's shared library offers to others. All of its other symbols are hidden.
#define TRAMMEL_API __attribute__((visibility("default")))

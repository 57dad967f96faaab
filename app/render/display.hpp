#pragma once

namespace trammel::render {

/// Provides an X server to draw through, if there is none (DISPLAY is not set or empty): Xvfb, until this process ends. Throws Error.
void provide_display();

}  // namespace trammel::render

/* MicroPython with its compiler, garbage collection and error messages */
#include <port/mpconfigport_common.h>
#define MICROPY_CONFIG_ROM_LEVEL (MICROPY_CONFIG_ROM_LEVEL_CORE_FEATURES)
#define MICROPY_ENABLE_COMPILER (1)
#define MICROPY_ENABLE_GC (1)
#define MICROPY_PY_GC (1)
#define MICROPY_PY_SYS (0)
#define MICROPY_PY_IO (0)
#define MICROPY_ENABLE_EXTERNAL_IMPORT (0)

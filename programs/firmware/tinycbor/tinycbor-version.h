/* What the build of tinycbor generates */
#define TINYCBOR_VERSION_MAJOR 7
#define TINYCBOR_VERSION_MINOR 0
#define TINYCBOR_VERSION_PATCH 0

/* What the build of tinycbor generates */
#define CBOR_API

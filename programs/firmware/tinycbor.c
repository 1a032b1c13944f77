/* Encodes maps, and finds a number in each */
#include "cbor.h"

int main(void)
{
    unsigned char bytes[256];
    int wrong = 0;
    for (int i = 0; i < 100; i++) {
        CborEncoder encoder, map;
        cbor_encoder_init(&encoder, bytes, sizeof bytes, 0);
        cbor_encoder_create_map(&encoder, &map, 2);
        cbor_encode_text_stringz(&map, "count");
        cbor_encode_int(&map, i * 1000);
        cbor_encode_text_stringz(&map, "name");
        cbor_encode_text_stringz(&map, "pump");
        cbor_encoder_close_container(&encoder, &map);
        CborParser parser;
        CborValue value, count;
        int n = -1;
        cbor_parser_init(bytes, cbor_encoder_get_buffer_size(&encoder, bytes), 0, &parser, &value);
        wrong |= cbor_value_validate_basic(&value);
        cbor_value_map_find_value(&value, "count", &count);
        cbor_value_get_int(&count, &n);
        wrong |= n != i * 1000;
    }
    return wrong;
}

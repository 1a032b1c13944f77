/* Parses, prints and compares a JSON text; one block is never freed */
#include "cJSON.h"
#include <stdlib.h>

int main(void)
{
    const char *text = "{\"name\":\"pump\",\"on\":true,\"rates\":[1,2.5,-3e2,null],"
                       "\"nested\":{\"a\":[[],{}],\"b\":\"\\u00e9\\n\"}}";
    int failed = 0;
    for (int i = 0; i < 20; i++) {
        cJSON *parsed = cJSON_Parse(text);
        char *printed = cJSON_PrintUnformatted(parsed);
        cJSON *again = cJSON_Parse(printed);
        failed |= !cJSON_Compare(parsed, again, 1);
        cJSON_AddNumberToObject(again, "n", i);
        char *kept = cJSON_Print(again);
        if (i != 7)
            free(kept);
        free(printed);
        cJSON_Delete(parsed);
        cJSON_Delete(again);
    }
    return failed;
}

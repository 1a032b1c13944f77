/* A message that hart 0 reads before hart 1 may have written it: the exit code is 1 in some schedules only */
#include "faults.h"

static volatile int message;

int main(int hart)
{
    if (hart == 1) {
        for (volatile int i = 0; i < 25; i++)
            ;
        message = 1;
        return 0;
    }
    for (volatile int i = 0; i < 66; i++)
        ;
    return message != 1;
}

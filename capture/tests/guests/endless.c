/* Prints a line and runs without an end. Arguments: what it does on SIGINT, SIGTERM and SIGHUP; `busy`: it never sleeps. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile int work;

static void leave(int signal) {
    (void)signal;
    _exit(3);
}

int main(int argc, char **argv) {
    void (*handler)(int) = SIG_DFL;
    if (argc > 1 && !strcmp(argv[1], "ignore"))
        handler = SIG_IGN;
    if (argc > 1 && !strcmp(argv[1], "leave"))
        handler = leave;
    signal(SIGINT, handler);
    signal(SIGTERM, handler);
    signal(SIGHUP, handler);
    write(1, "ready\n", 6);
    for (;;) {
        for (int i = 0; i < 1000; i++)
            work += work & 3;
        if (argc < 3)
            usleep(1000);
    }
}

/* Ways to end a process or to create a child, selected by the first argument. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int work;

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 5000; i++)
        work += i & work;
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "kill"))
        raise(SIGKILL);
    if (!strcmp(how, "fault"))
        *(volatile int *)0 = 1;
    if (!strcmp(how, "exec")) {
        execl("/nowhere", "nowhere", (char *)0);
        execl("/bin/sh", "sh", "-c", "exit 9", (char *)0);
    }
    if (!strcmp(how, "fork")) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            for (int i = 0; i < 20000; i++)
                work += i;
            _exit(4);
        }
        waitpid(child, &status, 0);
        for (int i = 0; i < 100; i++)
            work += i;
        return WEXITSTATUS(status) + 1;
    }
    return 0;
}

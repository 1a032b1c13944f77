/* Creates processes as the arguments say, each with work of its own. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile long work;

__attribute__((noinline)) static void step(void) { work++; }

__attribute__((noinline)) static void run(long n) {
    for (long i = 0; i < n; i++)
        step();
}

static int end(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    long n = argc > 2 ? atol(argv[2]) : 1000;
    if (!strcmp(how, "run")) {
        run(n);
        return n % 100;
    }
    if (!strcmp(how, "fork")) { /* a child and a grandchild */
        run(10);
        pid_t child = fork();
        if (child == 0) {
            run(n);
            pid_t next = fork();
            if (next == 0) {
                run(2 * n);
                _exit(5);
            }
            _exit(end(next) + 1);
        }
        return end(child) + 1;
    }
    if (!strcmp(how, "vfork")) {
        pid_t child = vfork();
        if (child == 0) {
            execl(argv[0], argv[0], "run", argv[2], (char *)0);
            _exit(98);
        }
        return end(child);
    }
    if (!strcmp(how, "exec")) {
        run(10);
        execl("/nowhere", "nowhere", (char *)0);
        execl(argv[0], argv[0], "run", argv[2], (char *)0);
        return 97;
    }
    if (!strcmp(how, "spawn")) {
        char *words[] = {argv[0], "run", argv[2], 0};
        pid_t child = 0;
        if (posix_spawn(&child, argv[0], 0, 0, words, environ))
            return 96;
        return end(child);
    }
    if (!strcmp(how, "script")) { /* argument 2: a script */
        pid_t child = fork();
        if (child == 0) {
            execl(argv[2], argv[2], "more", (char *)0);
            _exit(98);
        }
        return end(child);
    }
    if (!strcmp(how, "many")) {
        for (int i = 0; i < n; i++) {
            if (fork() == 0) {
                run(100 + i);
                _exit(0);
            }
        }
        while (wait(0) > 0) {
        }
        return 0;
    }
    return 1;
}

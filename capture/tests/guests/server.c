/* A server that creates a process for each connection: server SOCKET CONNECTIONS. A request is a number of rounds (32 bits); the reply is
   the number that were made. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile uint32_t rounds;

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    strncpy(at.sun_path, argv[1], sizeof at.sun_path - 1);
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    if (server < 0 || bind(server, (struct sockaddr *)&at, sizeof at) || listen(server, 16))
        return 3;
    int connections = atoi(argv[2]), failed = 0;
    for (int i = 0; i < connections; i++) {
        int client = accept(server, 0, 0);
        if (client < 0)
            return 4;
        if (fork() == 0) {
            uint32_t n = 0;
            if (read(client, &n, sizeof n) != sizeof n)
                _exit(1);
            for (uint32_t k = 0; k < n; k++)
                rounds++;
            n = rounds;
            _exit(write(client, &n, sizeof n) != sizeof n);
        }
        close(client);
    }
    for (int i = 0, status = 0; i < connections; i++)
        failed += wait(&status) < 0 || status != 0;
    return failed ? 5 : 0;
}

// SPDX-License-Identifier: Apache-2.0
// main.c: the program's front door: finds the command and runs it.
#include <stdio.h>
#include <string.h>

#include <thud/thud.h>

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("thud %s (%s)\n", thud_version(), thud_commit());
        return 0;
    }
    fprintf(stderr, "usage: thud --version\n");
    return 2;
}

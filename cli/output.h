// SPDX-License-Identifier: Apache-2.0
// output.h: the outputs of <thud/base_output.h>, which appear whole or not at all, with their failures told.
#pragma once

#include <thud/base_output.h>

// Each returns an exit code, after saying "PATH: why" on stderr where it is not EXIT_DONE.
// Asked before long work: whether each path can be written, none is the input and no two are one file. NULL is no file.
int outputs_possible(const char *const *path, size_t count, const char *input);
int output_open(thud_output *o, const char *path);
int output_close(thud_output *o); // gives the file its name

void html_text(FILE *out, const char *text); // with &, <, > and " escaped

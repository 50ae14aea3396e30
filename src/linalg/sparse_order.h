// SPDX-License-Identifier: Apache-2.0
// sparse_order.h: in which order the columns of a sparse matrix are eliminated, private to the room.
#pragma once

#include <thud/linalg.h>

// order[k]: the k-th column. A is square; its pattern alone counts. false: memory ran out.
bool sparse_order(const thud_csc *A, int *order);

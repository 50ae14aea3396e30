#include "study.h"
void study_rank(study *s)
{
    (void)s;
}

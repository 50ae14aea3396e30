#include "study.h"
void study_balls(study *s)
{
    (void)s;
}

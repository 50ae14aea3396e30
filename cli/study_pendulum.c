#include "study.h"
void study_pendulum(study *s)
{
    (void)s;
}

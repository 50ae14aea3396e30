#include "study.h"
void study_complaints(study *s)
{
    (void)s;
}

#include "study.h"
void study_box(study *s)
{
    (void)s;
}

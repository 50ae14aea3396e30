// SPDX-License-Identifier: Apache-2.0
// A variant of a model is, to the bit, what a file with its numbers would have become; it outlives the model it was made of; and
// what cannot be set is refused with what was likely meant.
#include <glob.h>
#include <thud/thud.h>

#include "test.h"

static thud_model *build_text(const char *text)
{
    thud_spec *s;
    thud_model *m;
    thud_diag diag = {.text = ""};
    if (thud_load_text(text, strlen(text), "text.xml", NULL, &s, &diag) != THUD_OK ||
        thud_model_build(s, &m, &diag) != THUD_OK) {
        fail_msg("%d:%d: %s\n%s", diag.line, diag.column, diag.text, text);
    }
    thud_spec_destroy(s);
    return m;
}

// Everything that a setting speaks of, each once between bars: |KEY=default|.
static const char scene[] =
    "<mujoco><compiler angle='radian'/>"
    "<option timestep='|h=0.002|' gravity='|g=0 0 -9.81|' wind='|w=0 0 0|' magnetic='|B=0 -0.5 0|' "
    "density='|rho=1|' "
    "viscosity='|eta=0|'/>"
    "<asset><mesh name='rock' vertex='0 0 0 1 0 0 0 1 0 0 0 1 1 1 0.5'/>"
    "<hfield name='hills' nrow='2' ncol='2' elevation='0 1 1 0' size='5 5 0.2 0.1'/></asset>"
    "<worldbody><geom name='floor' type='plane' size='5 5 1' friction='|mu=1 0.005 0.0001|'/>"
    "<geom name='hills' type='hfield' hfield='hills' pos='|hp=20 0 0|'/>"
    "<body name='post' mocap='true' pos='|pp=3 0 0|'><geom size='0.1' contype='0' conaffinity='0'/></body>"
    "<body name='base' pos='|bp=0 0 2|' quat='|bq=1 0 0 0|'><freejoint name='free'/>"
    "<inertial mass='|m=2|' pos='|c=0 0 0|' quat='|iq=1 0 0 0|' diaginertia='|I=0.1 0.2 0.25|'/>"
    "<geom name='trunk' type='box' size='|gs=0.2 0.1 0.1|' pos='|gp=0 0 0|' quat='|gq=1 0 0 0|' "
    "margin='|gm=0|' gap='|gg=0|' "
    "condim='|gd=3|' contype='|gt=1|' conaffinity='|ga=1|' priority='|gr=0|' rgba='|gc=0.5 0.5 0.5 1|' "
    "group='|go=0|'/>"
    "<site name='eye' pos='|sp=0 0 0.1|' quat='|sq=1 0 0 0|' size='|ss=0.005 0.005 0.005|'/>"
    "<body name='thigh' pos='0.1 0 -0.1' gravcomp='|gc2=0|'>"
    "<joint name='hip' axis='|ax=0 1 0|' pos='|jp=0 0 0|' ref='|jr=0.1|' springref='|js=0.2|' "
    "stiffness='|jk=3|' "
    "damping='|jd=1|' armature='|ja=0.01|' frictionloss='|jf=0.1|' range='|jg=-1 1|' margin='|jm=0|' "
    "actuatorfrcrange='|jc=0 0|'/>"
    "<geom name='leg' type='capsule' size='0.05 0.2' mass='|lm=1|'/>"
    "<body name='shin' pos='0 0 -0.4'><joint name='knee' axis='0 1 0'/>"
    "<geom name='bone' type='capsule' size='|bs=0.04 0.2|' density='|bd=900|'/><site name='heel' pos='0 0 "
    "-0.2'/>"
    "<body name='toe' pos='0 0 -0.3'><joint type='slide' name='toe' axis='1 0 0' springdamper='0.1 1'/>"
    "<geom name='rock' type='mesh' mesh='rock' pos='|rp=0 0 0|'/></body></body></body></body></worldbody>"
    "<contact><pair name='foot' geom1='floor' geom2='bone' friction='|pf=1 1 0.005 0.0001 0.0001|' "
    "margin='|pm=0|' gap='|pg=0|' "
    "condim='|pd=3|'/></contact>"
    "<equality><connect name='tie' body1='toe' body2='post' anchor='|ea=0 0 0|'/>"
    "<joint name='gear' joint1='hip' joint2='knee' polycoef='|ep=0 1 0 0 0|'/>"
    "<weld name='glue' body1='thigh' body2='shin' torquescale='|et=1|' active='false'/></equality>"
    "<tendon><spatial name='sinew' range='|tr=0 3|' stiffness='|tk=5|' damping='|td=1|' "
    "frictionloss='|tf=0|' "
    "springlength='|ts=-1 -1|' margin='|tm=0|'><site site='eye'/><site site='heel'/></spatial></tendon>"
    "<actuator><position name='servo' joint='hip' kp='|kp=20|' dampratio='|dr=0.7|' ctrlrange='|cr=-1 1|' "
    "forcerange='|fr=-5 5|'/>"
    "<velocity name='speed' joint='knee' kv='|kv=2|' gear='|ag=3 0 0 0 0 0|'/>"
    "<damper name='brake' joint='knee' kv='|dk=1.5|' ctrlrange='0 1'/>"
    "<general name='muscle' tendon='sinew' gainprm='|gn=1 0 0|' biasprm='|bi=0 0 0|' biastype='affine' "
    "gaintype='affine' "
    "dyntype='filter' dynprm='|tc=0.1|' actrange='|ar=-1 1|'/></actuator>"
    "<sensor><jointpos name='angle' joint='hip' cutoff='|sc=0|' noise='|sn=0|'/></sensor>"
    "<keyframe><key name='start' qpos='0 0 2 1 0 0 0 0.2 0.1 0'/></keyframe></mujoco>";

// The scene's text, with `value` in place of one key's default.
static char *write_scene(const char *key, const char *value)
{
    char *text = malloc(sizeof scene + 200), *to = text;
    assert_non_null(text);
    bool used = false;
    for (const char *c = scene; *c;) {
        if (*c != '|') {
            *to++ = *c++;
            continue;
        }
        const char *equals = strchr(c, '='), *end = strchr(equals, '|');
        const bool here =
            key && strlen(key) == (size_t)(equals - c - 1) && strncmp(key, c + 1, strlen(key)) == 0;
        used |= here;
        to += here ? sprintf(to, "%s", value) : sprintf(to, "%.*s", (int)(end - equals - 1), equals + 1);
        c = end + 1;
    }
    *to = '\0';
    CHECK(used || !key);
    return text;
}

static thud_model *build_scene(const char *key, const char *value)
{
    char *text = write_scene(key, value);
    thud_model *m = build_text(text);
    free(text);
    return m;
}

static int read_numbers(const char *text, double *out)
{
    int count = 0;
    char *end;
    for (const char *c = text; *c; c = end) {
        out[count++] = strtod(c, &end);
        assert_true(end != c);
    }
    return count;
}

static thud_model *vary(const thud_model *m, const char *name, const char *numbers)
{
    double value[8];
    thud_model *variant;
    thud_diag diag = {.text = ""};
    const thud_setting set = {name, value, read_numbers(numbers, value)};
    if (thud_model_vary(m, &set, 1, &variant, &diag) != THUD_OK) {
        fail_msg("%s %s: %s", name, numbers, diag.text);
    }
    return variant;
}

static const struct {
    const char *name, *key, *value;
} cases[] = {{"option.timestep", "h", "0.001"},
             {"option.gravity", "g", "1 2 -3.72"},
             {"option.wind", "w", "1 0 0.5"},
             {"option.magnetic", "B", "0.1 0.2 0.3"},
             {"option.density", "rho", "1.2"},
             {"option.viscosity", "eta", "1.8e-5"},
             {"geom/floor.friction", "mu", "0.3"},
             {"geom/floor.friction", "mu", "0.3 0.01 0.02"},
             {"geom/hills.pos", "hp", "20 1 -0.1"},
             {"body/post.pos", "pp", "3 0.1 0"},
             {"body/base.pos", "bp", "0.1 0.2 1.7"},
             {"body/base.quat", "bq", "0.9 0.1 -0.2 0.3"},
             {"body/base.mass", "m", "3.3"},
             {"body/base.ipos", "c", "0.01 0.02 -0.03"},
             {"body/base.iquat", "iq", "0.8 0.1 0.3 0.2"},
             {"body/base.inertia", "I", "0.11 0.21 0.27"},
             {"body/thigh.gravcomp", "gc2", "0.5"},
             {"geom/trunk.size", "gs", "0.3 0.15 0.12"},
             {"geom/trunk.pos", "gp", "0.01 0.02 0.03"},
             {"geom/trunk.quat", "gq", "0.5 0.5 -0.5 0.4"},
             {"geom/trunk.margin", "gm", "0.01"},
             {"geom/trunk.gap", "gg", "0.005"},
             {"geom/trunk.condim", "gd", "6"},
             {"geom/trunk.contype", "gt", "2"},
             {"geom/trunk.conaffinity", "ga", "3"},
             {"geom/trunk.priority", "gr", "2"},
             {"geom/trunk.rgba", "gc", "1 0 0 1"},
             {"geom/trunk.group", "go", "3"},
             {"geom/leg.mass", "lm", "1.4"},
             {"geom/bone.size", "bs", "0.05 0.21"},
             {"geom/bone.density", "bd", "1100"},
             {"geom/rock.pos", "rp", "0.01 0 0.02"},
             {"site/eye.pos", "sp", "0.05 0.06 0.1"},
             {"site/eye.quat", "sq", "0.5 0.5 0.5 0.6"},
             {"site/eye.size", "ss", "0.01 0.02 0.03"},
             {"joint/hip.axis", "ax", "0.1 1 0.2"},
             {"joint/hip.pos", "jp", "0 0.01 0.02"},
             {"joint/hip.ref", "jr", "0.3"},
             {"joint/hip.springref", "js", "-0.1"},
             {"joint/hip.stiffness", "jk", "7"},
             {"joint/hip.damping", "jd", "0.3"},
             {"joint/hip.armature", "ja", "0.05"},
             {"joint/hip.frictionloss", "jf", "0.7"},
             {"joint/hip.range", "jg", "-0.5 0.7"},
             {"joint/hip.range", "jg", "0 0"},
             {"joint/hip.margin", "jm", "0.01"},
             {"joint/hip.actfrcrange", "jc", "-2 2"},
             {"pair/foot.friction", "pf", "0.5 0.6"},
             {"pair/foot.margin", "pm", "0.01"},
             {"pair/foot.gap", "pg", "0.005"},
             {"pair/foot.condim", "pd", "4"},
             {"equality/tie.anchor", "ea", "0.01 0.02 0.03"},
             {"equality/gear.polycoef", "ep", "0.1 2"},
             {"equality/glue.torquescale", "et", "0.5"},
             {"tendon/sinew.range", "tr", "0.1 2"},
             {"tendon/sinew.stiffness", "tk", "9"},
             {"tendon/sinew.damping", "td", "0.2"},
             {"tendon/sinew.frictionloss", "tf", "0.4"},
             {"tendon/sinew.springlength", "ts", "0.1 0.3"},
             {"tendon/sinew.margin", "tm", "0.02"},
             {"actuator/servo.kp", "kp", "35"},
             {"actuator/servo.dampratio", "dr", "1"},
             {"actuator/servo.ctrlrange", "cr", "-2 3"},
             {"actuator/servo.forcerange", "fr", "-7 8"},
             {"actuator/speed.kv", "kv", "3"},
             {"actuator/speed.gear", "ag", "5"},
             {"actuator/brake.kv", "dk", "2.5"},
             {"actuator/muscle.gainprm", "gn", "2 0.1 0.2"},
             {"actuator/muscle.biasprm", "bi", "0.3 -1 -2"},
             {"actuator/muscle.timeconst", "tc", "0.25"},
             {"actuator/muscle.actrange", "ar", "-2 2"},
             {"sensor/angle.cutoff", "sc", "0.5"},
             {"sensor/angle.noise", "sn", "0.01"}};
enum { CASES = sizeof cases / sizeof cases[0] };

// The files in which a class lends a servo with a damping ratio its gain, and others, are held against MuJoCo elsewhere; here a file
// is held against the variant by the hash over every array.
TEST(a_variant_has_the_bits_of_a_file_with_its_numbers)
{
    thud_model *m = build_scene(NULL, NULL);
    for (int i = 0; i < CASES; i++) {
        thud_model *file = build_scene(cases[i].key, cases[i].value),
                   *variant = vary(m, cases[i].name, cases[i].value);
        // The model's hash leaves out the direction of a magnet only.
        const bool silent = strcmp(cases[i].key, "B") == 0;
        if (variant->hash != file->hash || (variant->hash == m->hash) != silent ||
            memcmp(&variant->magnetic, &file->magnetic, sizeof file->magnetic) != 0 ||
            variant->total_mass != file->total_mass) {
            fail_msg("%s = %s: not the model of the file", cases[i].name, cases[i].value);
        }
        thud_model *back = vary(variant, "option.timestep", "0.002");
        CHECK(i == 0 || back->hash == variant->hash);
        thud_model_destroy(back);
        thud_model_destroy(file);
        thud_model_destroy(variant);
    }
    thud_model_destroy(m);
}

TEST(many_settings_at_once_are_those_one_after_the_other)
{
    thud_model *m = build_scene(NULL, NULL), *step = m, *all;
    static double value[CASES][8];
    thud_setting set[CASES];
    for (int i = 0; i < CASES; i++) {
        set[i] = (thud_setting){cases[i].name, value[i], read_numbers(cases[i].value, value[i])};
        thud_model *next = vary(step, cases[i].name, cases[i].value);
        thud_model_destroy(step); // each may be destroyed before the next
        step = next;
    }
    m = build_scene(NULL, NULL);
    CHECK_OK(thud_model_vary(m, set, CASES, &all, NULL));
    thud_model_destroy(m);
    CHECK(all->hash == step->hash);
    thud_model *again = vary(all, "joint/hip.damping", "0.3"); // its source is still there
    CHECK(again->hash == all->hash);
    thud_model_destroy(again);
    thud_model_destroy(all);
    thud_model_destroy(step);
}

TEST(a_pattern_sets_all_that_fit_it_also_those_without_a_name)
{
    thud_model *m = build_text(
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body><freejoint/><geom name='a1' size='1'/>"
        "<geom name='a2' size='1'/><geom name='b' size='1'/></body></worldbody></mujoco>");
    const struct {
        const char *name;
        int set[4];
    } pattern[] = {{"geom/*.friction", {1, 1, 1, 1}},  {"geom/a*.friction", {0, 1, 1, 0}},
                   {"geom/?.friction", {0, 0, 0, 1}},  {"geom/*2.friction", {0, 0, 1, 0}},
                   {"geom/#0.friction", {1, 0, 0, 0}}, {"geom/#3.friction", {0, 0, 0, 1}}};
    for (size_t k = 0; k < sizeof pattern / sizeof pattern[0]; k++) {
        thud_model *v = vary(m, pattern[k].name, "0.25");
        for (int g = 0; g < 4; g++) {
            CHECK_NEAR(v->geom_friction[3 * g], pattern[k].set[g] ? 0.25 : 1, 0);
        }
        thud_model_destroy(v);
    }
    thud_model_destroy(m);
}

// Joints and sites of the spec stand in the order of the file, those of the model grouped by body.
TEST(a_number_is_that_of_the_model)
{
    thud_spec *s;
    thud_model *m;
    CHECK_OK(thud_spec_create(&s));
    const int a = thud_spec_add_body(s, 0, "a"), b = thud_spec_add_body(s, a, "b");
    const int body[] = {b, a, b};
    for (int k = 0; k < 3; k++) {
        const int j = thud_spec_add_joint(s, body[k], THUD_JOINT_HINGE, NULL);
        s->joint[j].axis = (thud_vec3){k == 0, k == 1, k == 2};
        const int g = thud_spec_add_geom(s, body[k], THUD_GEOM_SPHERE, NULL);
        s->geom[g].size[0] = 0.1;
    }
    CHECK_OK(thud_model_build(s, &m, NULL));
    thud_spec_destroy(s);
    for (int j = 0; j < 3; j++) {
        char name[32];
        snprintf(name, sizeof name, "joint/#%d.damping", j);
        thud_model *v = vary(m, name, "7");
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(v->dof_damping[k], k == j ? 7 : 0, 0);
        }
        thud_model_destroy(v);
    }
    thud_model_destroy(m);
}

TEST(a_body_that_has_its_mass_from_geoms_gets_an_inertial_with_the_rest_as_it_was)
{
    thud_model *m = build_scene(NULL, NULL);
    const int thigh = thud_model_find(m, THUD_KIND_BODY, "thigh");
    const thud_inertia before = m->body_inertia[thigh];
    thud_model *v = vary(m, "body/thigh.mass", "4");
    CHECK_NEAR(v->body_inertia[thigh].mass, 4, 0);
    CHECK_NEAR(v->body_inertia[thigh].I[0], before.I[0], 1e-15);
    CHECK_NEAR(v->body_inertia[thigh].com.z, before.com.z, 0);
    CHECK_NEAR(v->total_mass - m->total_mass, 4 - before.mass, 1e-12);
    thud_model_destroy(v);
    thud_model_destroy(m);
}

TEST(what_cannot_be_set_is_refused_with_what_was_meant)
{
    thud_model *m = build_scene(NULL, NULL);
    const struct {
        const char *name, *numbers, *says;
    } bad[] = {{"geom/flor.friction", "1", "no geom is called 'flor'; did you mean 'floor'?"},
               {"gem/floor.friction", "1", "no kind of element called 'gem'; did you mean 'geom'?"},
               {"geom/floor.frction", "1", "no attribute is called 'frction'; did you mean 'friction'?"},
               {"geom/floor.colour", "1", "there are size, pos, quat"},
               {"geom/floor", "1", "is no setting"},
               {"friction", "1", "is no setting"},
               {"", "1", "is no setting"},
               {"geom/.", "1", "no attribute"},
               {"option.gravty", "1 2 3", "did you mean 'gravity'?"},
               {"option.gravity", "1 2", "takes 3 numbers; 2 given"},
               {"geom/floor.friction", "1 2 3 4", "takes 1 to 3 numbers; 4 given"},
               {"geom/floor.friction", "nan", "not finite"},
               {"geom/floor.friction", "-1", "friction of geom 'floor' must not be negative"},
               {"geom/trunk.condim", "2.5", "whole number"},
               {"geom/trunk.condim", "2", "condim"},
               {"geom/rock.size", "1 1 1", "size is that of its mesh"},
               {"geom/zz*.friction", "1", "no geom is called"},
               {"geom/#99.friction", "1", "there are"},
               {"body/world.mass", "1", "the world has none"},
               {"body/base.mass", "-1", "mass of body 'base'"},
               {"body/base.inertia", "1 2 3 4", "three numbers or six"},
               {"body/base.inertia", "1 1 9", "triangle"},
               {"body/base.quat", "0 0 0 0", "no length"},
               {"joint/hip.axis", "0 0 0", "no length"},
               {"joint/hip.range", "1 -1", "range"},
               {"option.timestep", "0", "timestep"},
               {"actuator/muscle.kp", "1", "no position servo"},
               {"actuator/muscle.kv", "1", "no position or velocity servo"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double value[8] = {NAN};
        thud_diag diag = {.text = ""};
        thud_model *v = m;
        const int count = strcmp(bad[i].numbers, "nan") == 0 ? 1 : read_numbers(bad[i].numbers, value);
        const thud_setting set = {bad[i].name, value, count};
        CHECK(thud_model_vary(m, &set, 1, &v, &diag) != THUD_OK);
        CHECK(v == NULL);
        if (!strstr(diag.text, bad[i].says)) {
            fail_msg("%s = %s: '%s' does not say '%s'", bad[i].name, bad[i].numbers, diag.text, bad[i].says);
        }
    }
    thud_model_destroy(m);
}

TEST(what_was_set_can_be_read)
{
    thud_model *m = build_scene(NULL, NULL);
    for (int i = 0; i < CASES; i++) {
        double want[8], value[THUD_SETTING_NUMBERS];
        int count;
        const int given = read_numbers(cases[i].value, want);
        thud_model *v = vary(m, cases[i].name, cases[i].value);
        CHECK_OK(thud_model_setting(v, cases[i].name, value, &count, NULL));
        CHECK(count >= given);
        const bool turned = strstr(cases[i].name, "quat") != NULL;
        const double norm =
            turned ? sqrt(want[0] * want[0] + want[1] * want[1] + want[2] * want[2] + want[3] * want[3]) : 1;
        for (int k = 0; k < given; k++) {
            CHECK_NEAR(value[k], want[k] / norm, 1e-15);
        }
        thud_model_destroy(v);
    }
    thud_model_destroy(m);
}

// Every scene and published robot: a variant without settings, and one whose numbers were set and set back, is the model itself.
static void check_file(const char *path)
{
    thud_spec *s;
    thud_model *m, *same, *other, *back;
    thud_diag diag = {.text = ""};
    if (thud_load(path, NULL, &s, &diag) != THUD_OK || thud_model_build(s, &m, &diag) != THUD_OK) {
        fail_msg("%s: %s", path, diag.text);
    }
    thud_spec_destroy(s);
    double friction[THUD_SETTING_NUMBERS];
    int count;
    const double slippery = 0.123, down[] = {0.5, 0, -1};
    const thud_setting set[] = {{"geom/#0.friction", &slippery, 1}, {"option.gravity", down, 3}};
    CHECK_OK(thud_model_vary(m, NULL, 0, &same, NULL));
    CHECK(same->hash == m->hash);
    thud_model_destroy(same);
    if (m->geoms > 0) {
        CHECK_OK(thud_model_setting(m, "geom/#0.friction", friction, &count, NULL));
        CHECK_OK(thud_model_vary(m, set, 2, &other, NULL));
        const double g[] = {m->gravity.x, m->gravity.y, m->gravity.z};
        const thud_setting undo[] = {{"geom/#0.friction", friction, count}, {"option.gravity", g, 3}};
        CHECK_OK(thud_model_vary(other, undo, 2, &back, NULL));
        CHECK(other->hash != m->hash);
        CHECK(back->hash == m->hash);
        thud_model_destroy(back);
        thud_model_destroy(other);
    }
    thud_model_destroy(m);
}

TEST(a_variant_without_settings_is_the_model_itself)
{
    const char *const patterns[] = {THUD_SOURCE_DIR "/scenes/*.xml",
                                    THUD_SOURCE_DIR "/../shared/menagerie/*/*.xml"};
    for (int k = 0; k < 2; k++) {
        glob_t found;
        if (glob(patterns[k], 0, NULL, &found) != 0) {
            if (k == 1) {
                test_skip(TEST_NO_SHARED);
            }
            fail_msg("no scenes");
        }
        for (size_t i = 0; i < found.gl_pathc; i++) {
            if (!strstr(found.gl_pathv[i], "keyframes") && !strstr(found.gl_pathv[i], "xhand")) {
                check_file(found.gl_pathv[i]);
            }
        }
        globfree(&found);
    }
}

// A state goes on in a variant: a box that was at rest on a slope slides once the friction is less than the slope.
TEST(a_state_goes_on_in_a_variant)
{
    thud_model *m = build_text(
        "<mujoco><worldbody><geom name='floor' type='plane' size='9 9 1' euler='0 20 0' friction='0.5'/>"
        "<body pos='0 0 0.2'><freejoint/><geom name='box' type='box' size='0.1 0.1 0.1' euler='0 20 0' "
        "friction='0.5'/></body></worldbody></mujoco>");
    thud_model *ice = vary(m, "geom/*.friction", "0.1");
    thud_state *s, *t;
    double speed[2];
    CHECK_OK(thud_state_create(m, &s));
    CHECK_OK(thud_state_create(ice, &t));
    for (int k = 0; k < 2; k++) {
        const thud_model *on = k ? ice : m;
        thud_state *state = k ? t : s;
        thud_sim *sim;
        const thud_step_options options = thud_step_defaults(on);
        CHECK_OK(thud_sim_create(on, &options, &sim, NULL));
        for (int i = 0; i < 500; i++) {
            thud_certificate c;
            CHECK_OK(thud_sim_step(sim, NULL, state, &c));
        }
        speed[k] = sqrt(state->qvel[0] * state->qvel[0] + state->qvel[2] * state->qvel[2]);
        thud_sim_destroy(sim);
        CHECK_OK(k ? THUD_OK : thud_state_copy(s, t));
    }
    CHECK_BELOW(speed[0], 1e-6);
    const double slope = 20 * 3.14159265358979 / 180;
    CHECK_NEAR(speed[1], 9.81 * (sin(slope) - 0.1 * cos(slope)), 0.02); // after one second
    thud_state_destroy(s);
    thud_state_destroy(t);
    thud_model_destroy(ice);
    thud_model_destroy(m);
}

TEST_MAIN(T(a_variant_has_the_bits_of_a_file_with_its_numbers),
          T(many_settings_at_once_are_those_one_after_the_other),
          T(a_pattern_sets_all_that_fit_it_also_those_without_a_name), T(a_number_is_that_of_the_model),
          T(a_body_that_has_its_mass_from_geoms_gets_an_inertial_with_the_rest_as_it_was),
          T(what_cannot_be_set_is_refused_with_what_was_meant), T(what_was_set_can_be_read),
          T(a_variant_without_settings_is_the_model_itself), T(a_state_goes_on_in_a_variant))

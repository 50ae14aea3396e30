// SPDX-License-Identifier: Apache-2.0
// PNG images: pixels are those that were packed, and no damage does more than a sentence.
#include <thud/shape_hfield.h>

#include "fuzz_image.h"
#include "test.h"

// Made by zlib: 20 x 12 grey of 8 bits; 9 x 7 of a palette of 16, interlaced; 6 x 5 of 16 bits with alpha; 5 x 5 colours, interlaced
// and not packed. Rows have the filters that images_agree_with_mujoco.py draws.
static const unsigned char image0[] = {
    137, 80,  78,  71,  13,  10,  26,  10,  0,   0,   0,   13,  73,  72,  68,  82,  0,   0,   0,   20,
    0,   0,   0,   12,  8,   0,   0,   0,   0,   71,  103, 194, 39,  0,   0,   0,   140, 73,  68,  65,
    84,  120, 218, 99,  100, 176, 0,   2,   7,   40,  134, 50,  88,  36,  128, 64,  193, 66,  2,   2,
    160, 12,  134, 132, 25,  23,  4,   60,  26,  118, 124, 48,  200, 88,  112, 67,  34,  160, 227, 0,
    131, 69,  193, 10,  166, 138, 134, 134, 10,  32,  6,   19,  16,  92,  209, 192, 0,   145, 123, 160,
    16,  49,  225, 4,   135, 67,  197, 134, 23,  26,  64,  173, 204, 42,  60,  29,  19,  120, 120, 120,
    64,  24,  206, 96,  118, 81,  81,  89,  161, 2,   193, 112, 6,   115, 141, 141, 139, 141, 13,  4,
    31,  128, 49,  152, 175, 220, 8,   9,   137, 129, 98,  24,  131, 241, 130, 3,   178, 235, 33,  28,
    6,   52,  139, 193, 110, 102, 142, 81,  88,  162, 160, 0,   198, 112, 134, 6,   0,   191, 81,  79,
    172, 215, 156, 111, 113, 0,   0,   0,   0,   73,  69,  78,  68,  174, 66,  96,  130};
static const unsigned char image1[] = {
    137, 80,  78,  71,  13,  10,  26,  10,  0,   0,   0,   13,  73,  72,  68,  82,  0,   0,   0,   9,
    0,   0,   0,   7,   4,   3,   0,   0,   1,   95,  178, 74,  197, 0,   0,   0,   48,  80,  76,  84,
    69,  253, 63,  235, 60,  146, 80,  183, 151, 74,  155, 82,  139, 105, 99,  99,  33,  164, 97,  181,
    94,  245, 91,  123, 234, 253, 128, 154, 154, 158, 146, 91,  121, 166, 52,  47,  160, 253, 184, 178,
    148, 217, 127, 198, 16,  61,  146, 8,   155, 16,  22,  134, 188, 0,   0,   0,   56,  73,  68,  65,
    84,  120, 218, 99,  100, 96,  97,  96,  112, 153, 201, 4,   36,  152, 149, 210, 38,  50,  135, 250,
    218, 50,  51,  132, 50,  43,  217, 48,  186, 132, 50,  164, 237, 102, 22,  140, 235, 88,  28,  202,
    96,  220, 113, 87,  169, 156, 217, 198, 198, 102, 139, 13,  0,   224, 63,  11,  101, 100, 138, 88,
    246, 0,   0,   0,   0,   73,  69,  78,  68,  174, 66,  96,  130};
static const unsigned char image2[] = {
    137, 80,  78,  71,  13,  10,  26,  10,  0,   0,   0,   13,  73,  72,  68,  82,  0,   0,   0,   6,   0,
    0,   0,   5,   16,  6,   0,   0,   0,   54,  200, 65,  165, 0,   0,   1,   0,   73,  68,  65,  84,  120,
    1,   1,   245, 0,   10,  255, 1,   37,  250, 94,  3,   159, 82,  168, 232, 132, 101, 6,   211, 185, 74,
    119, 144, 155, 167, 1,   108, 148, 156, 225, 21,  239, 23,  152, 249, 59,  236, 22,  164, 67,  119, 229,
    195, 95,  223, 129, 134, 254, 156, 129, 122, 47,  64,  230, 211, 4,   80,  92,  196, 211, 56,  78,  12,
    164, 7,   242, 208, 163, 227, 252, 139, 237, 230, 242, 167, 97,  245, 185, 193, 100, 27,  212, 145, 131,
    95,  76,  244, 174, 9,   110, 248, 164, 190, 149, 57,  111, 5,   7,   213, 102, 46,  212, 51,  199, 0,
    48,  52,  239, 133, 144, 228, 210, 99,  153, 174, 194, 189, 19,  168, 224, 3,   88,  159, 225, 171, 62,
    218, 248, 198, 81,  93,  100, 16,  36,  111, 206, 40,  146, 96,  27,  194, 34,  135, 30,  245, 106, 77,
    82,  151, 210, 56,  244, 10,  2,   111, 172, 48,  200, 73,  51,  225, 100, 53,  180, 46,  74,  48,  220,
    245, 207, 8,   146, 178, 50,  14,  159, 1,   126, 69,  184, 162, 105, 243, 18,  115, 112, 142, 120, 233,
    246, 45,  219, 113, 246, 206, 147, 167, 73,  28,  24,  70,  89,  0,   137, 48,  209, 182, 112, 128, 193,
    201, 94,  31,  205, 235, 219, 154, 75,  109, 83,  82,  28,  101, 179, 118, 102, 186, 113, 91,  8,   205,
    4,   90,  176, 147, 114, 175, 210, 113, 10,  217, 206, 246, 136, 156, 130, 239, 159, 152, 87,  34,  111,
    90,  124, 102, 78,  17,  208, 0,   0,   0,   0,   0,   73,  69,  78,  68,  174, 66,  96,  130};
static const unsigned char image3[] = {
    137, 80, 78,  71,  13, 10,  26,  10,  0,   0,   0,  13, 73, 72, 68, 82, 0,  0,  0,   5,   0,  0,
    0,   5,  8,   2,   0,  0,   1,   117, 10,  129, 36, 0,  0,  0,  97, 73, 68, 65, 84,  120, 1,  1,
    86,  0,  169, 255, 1,  0,   0,   0,   4,   0,   0,  0,  0,  4,  4,  4,  4,  4,  4,   2,   0,  0,
    0,   0,  4,   4,   4,  3,   2,   2,   2,   1,   1,  1,  1,  1,  1,  3,  0,  0,  0,   0,   0,  0,
    3,   2,  2,   2,   1,  1,   1,   3,   3,   3,   3,  1,  1,  1,  1,  1,  1,  1,  0,   0,   0,  0,
    0,   0,  0,   0,   0,  0,   0,   0,   0,   3,   3,  3,  3,  3,  3,  3,  3,  3,  3,   3,   3,  3,
    3,   3,  22,  190, 0,  138, 162, 159, 107, 34,  0,  0,  0,  0,  73, 69, 78, 68, 174, 66,  96, 130};

TEST(grey_pixels_are_as_they_were_packed)
{
    (void)test_state;
    thud_image image;
    CHECK_OK(thud_image_parse(image0, sizeof image0, NULL, &image, NULL));
    CHECK_INT(image.width, 20);
    CHECK_INT(image.height, 12);
    for (int y = 0; y < 12; y++) {
        for (int x = 0; x < 20; x++) {
            const unsigned char *p = image.rgba + 4 * (20 * y + x),
                                want = (unsigned char)((y * y * 3 + x * 7) % 31 * 8);
            CHECK(p[0] == want && p[1] == want && p[2] == want && p[3] == 255);
        }
    }
    thud_image_free(&image);
}

TEST(interlaced_rows_come_to_their_places)
{
    (void)test_state;
    thud_image image;
    CHECK_OK(thud_image_parse(image3, sizeof image3, NULL, &image, NULL));
    for (int y = 0; y < 5; y++) {
        for (int x = 0; x < 5; x++) {
            const unsigned char *p = image.rgba + 4 * (5 * y + x);
            CHECK(p[0] == y && p[1] == y && p[2] == y);
        }
    }
    thud_image_free(&image);
}

TEST(the_red_of_a_picture_is_the_ground_from_below_to_above)
{
    (void)test_state;
    const double size[4] = {1.9, 1.1, 2, 0.1};
    thud_hfield *field;
    CHECK_OK(thud_hfield_parse(image0, sizeof image0, size, NULL, &field, NULL));
    CHECK_INT(field->rows, 12);
    CHECK_INT(field->cols, 20);
    for (int r = 0; r < 12; r++) {
        for (int c = 0; c < 20; c++) {
            const int y = 11 - r;
            CHECK_NEAR(field->height[20 * r + c], 2 * ((y * y * 3 + c * 7) % 31 * 8) / 240.0, 1e-15);
        }
    }
    thud_hfield_destroy(field);
}

TEST(a_damaged_image_is_refused_wherever_it_is_damaged)
{
    (void)test_state;
    static const struct {
        const unsigned char *bytes;
        size_t size;
    } good[] = {
        {image0, sizeof image0}, {image1, sizeof image1}, {image2, sizeof image2}, {image3, sizeof image3}};
    unsigned char bytes[2048];
    for (int k = 0; k < 4; k++) {
        thud_image image;
        CHECK(good[k].size <= sizeof bytes);
        CHECK_OK(thud_image_parse(good[k].bytes, good[k].size, NULL, &image, NULL));
        thud_image_free(&image);
        for (size_t at = 0; at < good[k].size; at++) {
            memcpy(bytes, good[k].bytes, good[k].size);
            bytes[at] ^= (unsigned char)(1u << at % 8);
            CHECK_INT(thud_image_parse(bytes, good[k].size, NULL, &image, NULL), THUD_BAD_FILE);
            CHECK_INT(thud_image_parse(good[k].bytes, at, NULL, &image, NULL), THUD_BAD_FILE);
        }
        test_rng rng = {(uint64_t)k + 5};
        for (int trial = 0; trial < 4000; trial++) { // with right checksums
            memcpy(bytes, good[k].bytes, good[k].size);
            for (int n = 1 + test_below(&rng, 4); n > 0; n--) {
                bytes[8 + test_below(&rng, (int)good[k].size - 8)] = (unsigned char)test_bits(&rng);
            }
            fuzz_image(bytes, good[k].size);
        }
    }
}

// 60 bytes that promise 10^8 pixels take no memory for them.
TEST(an_image_that_promises_more_than_its_bytes_can_hold_is_refused_at_once)
{
    (void)test_state;
    unsigned char bytes[sizeof image0];
    memcpy(bytes, image0, sizeof image0);
    memcpy(bytes + 16, (const unsigned char[]){0, 0, 0x27, 0x10, 0, 0, 0x27, 0x10}, 8); // 10000 x 10000
    fuzz_repair(bytes, sizeof bytes);
    thud_image image;
    thud_diag diag = {.text = ""};
    CHECK_INT(thud_image_parse(bytes, sizeof bytes, NULL, &image, &diag), THUD_BAD_FILE);
    CHECK(strstr(diag.text, "10000 x 10000"));
    memcpy(bytes + 16, (const unsigned char[]){0, 0, 0x27, 0x11}, 4); // one column more than are taken
    fuzz_repair(bytes, sizeof bytes);
    CHECK_INT(thud_image_parse(bytes, sizeof bytes, NULL, &image, &diag), THUD_BAD_FILE);
    CHECK(strstr(diag.text, "at most"));
}

TEST_MAIN(T(grey_pixels_are_as_they_were_packed), T(interlaced_rows_come_to_their_places),
          T(the_red_of_a_picture_is_the_ground_from_below_to_above),
          T(a_damaged_image_is_refused_wherever_it_is_damaged),
          T(an_image_that_promises_more_than_its_bytes_can_hold_is_refused_at_once))

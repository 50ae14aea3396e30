// SPDX-License-Identifier: Apache-2.0
// xml_parse.c: expat's events into a tree. Each <include> is parsed where it stands, its root element
// dropped.
//
// expat gives the place of a tag; the places of its attributes are found by reading the tag's bytes once
// more. Entity declarations are refused, so that a small file stays small. The depth is counted, never
// recursed on; only includes nest parsers, and no file is included twice.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <expat.h>

#include "xml_tree.h"

typedef struct xml_source {
    xml_tree *tree;
    thud_spec *spec;
    thud_diag *diag;
    const char *file; // interned
    const char *text;
    size_t length;
    XML_Parser parser;
    const struct xml_source *outer; // the file that includes this one
    int open;                       // the node that children are added to
    int depth;                      // of the tag just read, below this file's root
    int include_depth;              // depth of an open <include>, or 0
    int nesting;                    // how many files include each other above this one
    thud_status status;
    int skipped_lines, skipped_columns; // blanks before the XML declaration, which expat is not shown
} xml_source;

static void stop(xml_source *s, thud_status status)
{
    s->status = status;
    XML_StopParser(s->parser, XML_FALSE);
}

#define STOP(s, status, where, ...)                                                                          \
    stop(s, thud_fail(status, (s)->diag, (where).file, (where).line, (where).column, __VA_ARGS__))

static thud_place here(const xml_source *s)
{
    const int line = (int)XML_GetCurrentLineNumber(s->parser),
              column = (int)XML_GetCurrentColumnNumber(s->parser) + 1;
    return (thud_place){s->file, line + s->skipped_lines, column + (line == 1 ? s->skipped_columns : 0)};
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Steps over one byte, counting lines as expat does and columns in characters of UTF-8.
static const char *advance(const char *p, const char *end, int *line, int *column)
{
    if (*p == '\n' || (*p == '\r' && (p + 1 == end || p[1] != '\n'))) {
        ++*line;
        *column = 1;
    } else if (((unsigned char)*p & 0xc0) != 0x80) {
        ++*column;
    }
    return p + 1;
}

// Gives the attributes of the tag at `place` their own places; those not found keep the tag's.
static void place_attributes(const xml_source *s, thud_place place, const char *name, xml_node *node)
{
    const long offset = XML_GetCurrentByteIndex(s->parser);
    const size_t name_length = strlen(name);
    if (offset < 0 || (size_t)offset + 1 + name_length >= s->length || s->text[offset] != '<' ||
        memcmp(s->text + offset + 1, name, name_length) != 0) {
        return;
    }
    const char *p = s->text + offset, *end = s->text + s->length;
    int line = place.line, column = place.column;
    for (size_t i = 0; i <= name_length; i++) {
        p = advance(p, end, &line, &column);
    }
    for (int i = 0; i < node->attributes; i++) {
        while (p < end && is_space(*p)) {
            p = advance(p, end, &line, &column);
        }
        xml_attribute *a = &node->attribute[i];
        const size_t length = strlen(a->name);
        if ((size_t)(end - p) < length || memcmp(p, a->name, length) != 0) {
            return;
        }
        a->line = line;
        a->column = column;
        while (p < end && *p != '"' && *p != '\'') {
            p = advance(p, end, &line, &column);
        }
        const char quote = p < end ? *p : '"';
        do {
            p = p < end ? advance(p, end, &line, &column) : end;
        } while (p < end && *p != quote);
        p = p < end ? advance(p, end, &line, &column) : end;
    }
}

static bool copy_attributes(xml_source *s, thud_place place, const char **list, xml_node *node)
{
    int count = 0;
    while (list[2 * count]) {
        count++;
    }
    node->attribute = pool_push(&s->tree->pool, (size_t)count, sizeof *node->attribute);
    if (!node->attribute) {
        return false;
    }
    node->attributes = count;
    for (int i = 0; i < count; i++) {
        node->attribute[i] = (xml_attribute){
            pool_text(&s->tree->pool, list[2 * i], strlen(list[2 * i])),
            pool_text(&s->tree->pool, list[2 * i + 1], strlen(list[2 * i + 1])), place.line, place.column};
        if (!node->attribute[i].name || !node->attribute[i].value) {
            return false;
        }
    }
    return true;
}

static thud_status parse_source(xml_source *s);
static thud_status read_included(const thud_files *files, const char *path, thud_bytes *out, thud_diag *why);

// Reads the file an <include> names and parses it with its elements added where the <include> stands.
static thud_status include_file(xml_source *s, thud_place place, const char *name)
{
#define REFUSE(...) thud_fail(THUD_BAD_FILE, s->diag, place.file, place.line, place.column, __VA_ARGS__)
    xml_tree *tree = s->tree;
    const xml_source *main_source = s;
    while (main_source->outer) {
        main_source = main_source->outer;
    }
    if (s->nesting >= XML_INCLUDE_DEPTH) {
        return REFUSE("includes are nested more than %d deep", XML_INCLUDE_DEPTH);
    }
    const thud_files *files = &s->spec->files;
    thud_bytes bytes = {0};
    thud_diag why = {.text = ""};
    const char *path = NULL;
    const char *const folders[] = {main_source->file, s->file}; // as MuJoCo looks them up
    thud_status status = THUD_BAD_FILE;
    for (int i = 0; i < 2 && status == THUD_BAD_FILE; i++) {
        const char *candidate = xml_path(s->spec, folders[i], "", name);
        if (!candidate) {
            return THUD_NO_MEMORY;
        }
        path = candidate;
        for (const xml_source *o = s; o; o = o->outer) {
            if (strcmp(o->file, path) == 0) {
                return REFUSE("include cycle: \"%s\" is already being read", path);
            }
        }
        for (int k = 0; k < tree->files; k++) {
            if (strcmp(tree->file[k], path) == 0) {
                return REFUSE("\"%s\" is already included; a file can be included once", path);
            }
        }
        status = read_included(files, path, &bytes, &why);
    }
    if (status == THUD_BAD_FILE) {
        return REFUSE("cannot include \"%s\": %s", path, why.text);
    }
    if (status != THUD_OK) {
        return status;
    }
    if (!thud_grow((void **)&tree->file, &tree->file_cap, tree->files, sizeof *tree->file)) {
        thud_files_close(files, &bytes);
        return THUD_NO_MEMORY;
    }
    tree->file[tree->files++] = path;
    xml_source inner = *s;
    inner.file = path;
    inner.text = bytes.data ? bytes.data : "";
    inner.length = bytes.length;
    inner.outer = s;
    inner.depth = inner.include_depth = 0;
    inner.nesting = s->nesting + 1;
    inner.skipped_lines = inner.skipped_columns = 0;
    status = parse_source(&inner);
    thud_files_close(files, &bytes);
    return status;
#undef REFUSE
}

static void on_include(xml_source *s, thud_place place, const char **list)
{
    const char *file = NULL;
    for (int i = 0; list[i]; i += 2) {
        if (strcmp(list[i], "file") != 0) {
            STOP(s, THUD_BAD_FILE, place, "<include> has no attribute \"%.80s\"", list[i]);
            return;
        }
        file = list[i + 1];
    }
    if (!file || !file[0]) {
        STOP(s, THUD_BAD_FILE, place, "<include> needs the attribute \"file\"");
        return;
    }
    s->include_depth = s->depth;
    const thud_status status = include_file(s, place, file);
    if (status != THUD_OK) {
        stop(s, status);
    }
}

static bool is_urdf(const xml_tree *tree) // in which <include> is no word
{
    return strcmp(tree->node[0].name, "robot") == 0;
}

static void XMLCALL on_start(void *user, const char *name, const char **list)
{
    xml_source *s = user;
    if (s->status != THUD_OK) {
        return;
    }
    const thud_place place = here(s);
    s->depth++;
    if (s->include_depth) {
        STOP(s, THUD_BAD_FILE, place, "<include> has no children; <%.80s> stands in one", name);
    } else if (s->depth > XML_DEPTH) {
        STOP(s, THUD_BAD_FILE, place, "elements are nested more than %d deep", XML_DEPTH);
    } else if (s->tree->nodes >= XML_NODES) {
        STOP(s, THUD_BAD_FILE, place, "the model has more than %d elements", XML_NODES);
    } else if (s->outer && s->depth == 1) {
        return; // the root of an included file stands for nothing
    } else if (strcmp(name, "include") == 0 && s->depth > 1 && !is_urdf(s->tree)) {
        on_include(s, place, list);
    } else {
        const char *copy = pool_text(&s->tree->pool, name, strlen(name));
        const int n = copy ? xml_tree_add(s->tree, s->open, copy, place) : -1;
        if (n < 0 || !copy_attributes(s, place, list, &s->tree->node[n])) {
            stop(s, THUD_NO_MEMORY);
            return;
        }
        place_attributes(s, place, name, &s->tree->node[n]);
        s->open = n;
    }
}

static void XMLCALL on_end(void *user, const char *name)
{
    (void)name;
    xml_source *s = user;
    if (s->status != THUD_OK) {
        return;
    }
    if (s->include_depth == s->depth) {
        s->include_depth = 0;
    } else if (!(s->outer && s->depth == 1)) {
        s->open = s->tree->node[s->open].parent;
    }
    s->depth--;
}

static void XMLCALL on_text(void *user, const char *text, int length)
{
    xml_source *s = user;
    for (int i = 0; i < length && s->status == THUD_OK; i++) {
        if (!is_space(text[i])) {
            if (s->tree->stray++ == 0) {
                s->tree->stray_place = here(s);
            }
            return;
        }
    }
}

static void XMLCALL on_entity(void *user, const char *name, int is_parameter, const char *value, int length,
                              const char *base, const char *system, const char *public, const char *notation)
{
    (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public, (void)notation;
    xml_source *s = user;
    if (s->status == THUD_OK) {
        STOP(s, THUD_UNSUPPORTED, here(s), "entity declarations (\"%.80s\") are refused; write the text out",
             name);
    }
}

static const char *sentence_of(enum XML_Error code)
{
    switch (code) {
    case XML_ERROR_NO_ELEMENTS:
        return "the file ends before its elements are closed";
    case XML_ERROR_UNCLOSED_TOKEN:
    case XML_ERROR_PARTIAL_CHAR:
        return "the file ends inside a tag";
    case XML_ERROR_INVALID_TOKEN:
    case XML_ERROR_SYNTAX:
        return "this is not XML";
    case XML_ERROR_DUPLICATE_ATTRIBUTE:
        return "an attribute is given twice";
    case XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
        return "something follows the end of the root element";
    case XML_ERROR_TAG_MISMATCH:
        return "a closing tag does not match";
    default:
        return XML_ErrorString(code);
    }
}

static thud_status parse_error(const xml_source *s)
{
    const enum XML_Error code = XML_GetErrorCode(s->parser);
    if (code == XML_ERROR_NO_MEMORY) {
        return THUD_NO_MEMORY;
    }
    const thud_place at = here(s);
    const bool open = s->open >= 0 && s->depth > (s->outer ? 1 : 0);
    if (open && (code == XML_ERROR_TAG_MISMATCH || code == XML_ERROR_NO_ELEMENTS)) {
        const xml_node *node = &s->tree->node[s->open];
        return thud_fail(THUD_BAD_FILE, s->diag, at.file, at.line, at.column,
                         "%s: <%.80s> of line %d is still open", sentence_of(code), node->name,
                         node->place.line);
    }
    return thud_fail(THUD_BAD_FILE, s->diag, at.file, at.line, at.column, "%s",
                     s->length ? sentence_of(code) : "the file is empty");
}

// Steps over blanks before "<?xml", which XML forbids and most programs take.
static void skip_blanks(xml_source *s)
{
    const char *p = s->text, *end = s->text + s->length;
    int line = 1, column = 1;
    while (p < end && is_space(*p)) {
        p = advance(p, end, &line, &column);
    }
    if (end - p >= 5 && memcmp(p, "<?xml", 5) == 0) {
        s->length -= (size_t)(p - s->text);
        s->text = p;
        s->skipped_lines = line - 1;
        s->skipped_columns = column - 1;
    }
}

static void *expat_malloc(size_t size)
{
    return thud_resize(NULL, size ? size : 1);
}

static void *expat_realloc(void *block, size_t size)
{
    return thud_resize(block, size ? size : 1);
}

static thud_status parse_source(xml_source *s)
{
    if (s->length > (size_t)INT32_MAX) {
        return thud_fail(THUD_BAD_FILE, s->diag, s->file, 1, 1, "the file is larger than 2 GB");
    }
    const XML_Memory_Handling_Suite memory = {expat_malloc, expat_realloc, thud_free};
    s->parser = XML_ParserCreate_MM(NULL, &memory, NULL);
    if (!s->parser) {
        return THUD_NO_MEMORY;
    }
    skip_blanks(s);
    XML_SetUserData(s->parser, s);
    XML_SetElementHandler(s->parser, on_start, on_end);
    XML_SetCharacterDataHandler(s->parser, on_text);
    XML_SetEntityDeclHandler(s->parser, on_entity);
    const enum XML_Status parsed = XML_Parse(s->parser, s->text, (int)s->length, XML_TRUE);
    if (s->status == THUD_OK && parsed != XML_STATUS_OK) {
        s->status = parse_error(s);
    }
    XML_ParserFree(s->parser);
    return s->status;
}

// Reads an included file, which must be a regular one.
static thud_status read_included(const thud_files *files, const char *path, thud_bytes *out, thud_diag *why)
{
    struct stat about;
    if (!files->open && stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        return thud_fail(THUD_BAD_FILE, why, NULL, 0, 0, "not a regular file");
    }
    return thud_files_open(files, path, out, why);
}

thud_status xml_parse_text(xml_tree *tree, thud_spec *spec, const char *text, size_t length, const char *name,
                           thud_diag *diag)
{
    xml_source s = {.tree = tree,
                    .spec = spec,
                    .diag = diag,
                    .file = thud_spec_intern(spec, name),
                    .text = text,
                    .length = length,
                    .open = -1};
    return s.file ? parse_source(&s) : THUD_NO_MEMORY;
}

thud_status xml_parse_file(xml_tree *tree, thud_spec *spec, const char *path, thud_diag *diag)
{
    thud_bytes bytes;
    thud_diag why = {.text = ""};
    const thud_status status = thud_files_open(&spec->files, path, &bytes, &why);
    if (status == THUD_BAD_FILE) {
        return thud_fail(status, diag, path, -1, -1, "cannot open: %s", why.text);
    }
    THUD_TRY(status);
    const thud_status parsed =
        xml_parse_text(tree, spec, bytes.data ? bytes.data : "", bytes.length, path, diag);
    thud_files_close(&spec->files, &bytes);
    return parsed;
}

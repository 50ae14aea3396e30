"""What the documents name is there: folders, links, commands, options, the library's functions; and the man page is clean.

usage: documents_tell_the_truth.py THUD SOURCE_DIR
"""
import pathlib
import re
import shutil
import subprocess
import sys

thud, root = sys.argv[1], pathlib.Path(sys.argv[2])
faults = []


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


# Every folder that the map names exists, and every room that exists is on the map.
map_text = (root / "ARCHITECTURE.md").read_text()
folders = set(re.findall(r"`([\w/]+)/`", map_text))
for folder in sorted(folders):
    if not (root / folder).is_dir():
        faults.append(f"ARCHITECTURE.md names {folder}/, which does not exist")
for path in sorted((root / "src").iterdir()):
    if f"src/{path.name}" not in folders:
        faults.append(f"src/{path.name}/ has no paragraph in ARCHITECTURE.md")

# Links and pictures between documents lead somewhere: to a file, and to a heading or an anchor in it.
def anchors(page):
    """The anchors of a page: its headings as GitHub makes them, and those it sets itself."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    headings = re.findall(r"^#+ +(.+?) *$", text, flags=re.M)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a id="(\w+)">', text))


pages = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("scenes/*.md"), *root.glob("examples/*.md"), *root.glob("web/*.md")]
for page in pages:
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", page.read_text()):
        if re.match(r"\w+:", target):
            continue
        goal = page.parent / target if target else page
        if not goal.exists():
            faults.append(f"{page.relative_to(root)} links to {target}, which does not exist")
        elif anchor and goal.suffix == ".md" and anchor not in anchors(goal):
            faults.append(f"{page.relative_to(root)} links to {target}#{anchor}, where no heading is called so")

# The reference of the library is what the headers say.
reference = subprocess.run([sys.executable, root / "tools/make_api.py", "--check"], capture_output=True, text=True, check=False)
faults += reference.stdout.splitlines() + reference.stderr.splitlines()

# The changelog's headings, in this order, in every version.
for version in re.split(r"^## ", (root / "CHANGELOG.md").read_text(), flags=re.M)[1:]:
    headings = re.findall(r"^### (.+)$", version, flags=re.M)
    if headings != ["Numbers changed", "Added", "Fixed", "Removed"]:
        faults.append(f"CHANGELOG.md: {version.splitlines()[0]} has the headings {headings}")

# Commands and options of the program are in the man page and in docs/cli.md, as they are in --help.
manual = (root / "docs/thud.1").read_text()
page = (root / "docs/cli.md").read_text()
commands = re.findall(r"^  ([a-z]+) ", said(thud, "--help").split("commands")[1].split("options")[0], flags=re.M)
for command in commands:
    if f".Cm {command}\n" not in manual or f"thud {command}" not in page:
        faults.append(f"command {command} is missing in docs/thud.1 or docs/cli.md")
    for option in re.findall(r"^  --([a-z-]+)", said(thud, command, "--help"), flags=re.M):
        if f"Fl -{option}" not in manual:
            faults.append(f"docs/thud.1 does not have --{option} of thud {command}")
        if option != "help" and f"--{option}" not in page:
            faults.append(f"docs/cli.md does not have --{option} of thud {command}")

if shutil.which("mandoc"):
    lint = subprocess.run(["mandoc", "-Tlint", root / "docs/thud.1"], capture_output=True, text=True, check=False)
    faults += lint.stdout.splitlines()

# The C of the README is C that compiles, once its objects are declared.
code = re.search(r"```c\n(.*?)```", (root / "README.md").read_text(), flags=re.S).group(1)
code = code.replace("#include <thud/thud.h>\n", "")
code = re.sub(r"^(thud_(?!step_options)\w+\()", r"(void)!\1", code, flags=re.M).replace("    thud_sim", "    (void)!thud_sim")
program = f"""#include <thud/thud.h>
int main(void)
{{
    thud_spec *spec; thud_model *model; thud_state *state; thud_sim *sim; thud_diag diag; thud_certificate certificate;
{code}
    return 0;
}}
"""
compiled = subprocess.run(["cc", "-std=c17", "-Wall", "-Werror", "-fsyntax-only", f"-I{root}/include", "-x", "c", "-"],
                          input=program, capture_output=True, text=True, check=False)
if compiled.returncode:
    faults.append("the C of README.md does not compile: " + compiled.stderr)

print("\n".join(faults))
sys.exit(1 if faults else 0)

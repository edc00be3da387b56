// Prints a JSON list of what is wrong with the modules below a folder: syntax, imports of files or
// names that do not exist, also by import(), and comments that are no comments.

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { argv, stdout } from "node:process";
import { SourceTextModule, createContext } from "node:vm";

const COMMENT = /^[ \t]*\/\/.*$/gm;
const DYNAMIC = /\bimport\(\s*["']([^"']+)["']\s*\)/g;
// Scripts that are no modules: classic ones, before all modules.
const CLASSIC = /^(?:locale\/.*|base\/theme\.js)$/;

const folder = resolve(argv[2]);
const problems = [];
const modules = new Map();
const context = createContext({});

for (const name of readdirSync(folder, { recursive: true })) {
  if (name.endsWith(".js") && !name.endsWith(".test.js") && !CLASSIC.test(name)) parse(join(folder, name));
}
for (const module of modules.values()) await link(module);
stdout.write(JSON.stringify(problems));

function parse(path) {
  const source = readFileSync(path, "utf8");
  try {
    modules.set(path, new SourceTextModule(source, { identifier: path, context }));
    const served = source.replace(COMMENT, "");
    new SourceTextModule(served, { identifier: path, context });
    const line = commentInLiteral(source);
    if (line) tell(path, `line ${line}: within a literal, and left out where scripts are served`);
    for (const [, target] of served.matchAll(DYNAMIC)) {
      if (!exists(resolve(dirname(path), target))) tell(path, `import("${target}") leads nowhere`);
    }
  } catch (error) {
    tell(path, String(error));
  }
}

// The number of the first line that looks like a comment and is none, since anything may stand in its
// place: it belongs to a template literal. 0 if there is none.
function commentInLiteral(source) {
  const lines = source.split("\n");
  for (const [at, line] of lines.entries()) {
    if (/^[ \t]*\/\//.test(line) && parses(lines.with(at, ")}]@").join("\n"))) return at + 1;
  }
  return 0;
}

function parses(source) {
  try {
    return Boolean(new SourceTextModule(source, { context }));
  } catch {
    return false;
  }
}

// Checks the names too: Node refuses a name that is not exported.
async function link(module) {
  if (module.status !== "unlinked") return;
  try {
    await module.link((specifier, from) => {
      const found = modules.get(resolve(dirname(from.identifier), specifier));
      if (!found) throw new Error(`import "${specifier}" leads nowhere`);
      return found;
    });
  } catch (error) {
    tell(module.identifier, error.message);
  }
}

function exists(path) {
  return modules.has(path) || readdirSync(dirname(path)).includes(path.slice(dirname(path).length + 1));
}

function tell(path, problem) {
  problems.push(`${relative(folder, path)}: ${problem}`);
}

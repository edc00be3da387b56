// What the name of a language says of a piece of code: its file's name, and whether it can be
// previewed. No DOM.

const EXTENSIONS = {
  bash: "sh", c: "c", "c++": "cpp", cpp: "cpp", "c#": "cs", csharp: "cs", css: "css", csv: "csv",
  diff: "diff", go: "go", golang: "go", html: "html", ini: "ini", java: "java", javascript: "js",
  js: "js", json: "json", json5: "json5", jsonl: "jsonl", jsx: "jsx", julia: "jl", kotlin: "kt", latex: "tex",
  lua: "lua", markdown: "md", md: "md", mermaid: "mmd", php: "php", powershell: "ps1", py: "py",
  python: "py", python3: "py", r: "r", rb: "rb", rs: "rs", ruby: "rb", rust: "rs", scala: "scala", scss: "scss",
  sh: "sh", shell: "sh", sql: "sql", svg: "svg", swift: "swift", tex: "tex", toml: "toml", ts: "ts",
  tsx: "tsx", typescript: "ts", vue: "vue", xml: "xml", yaml: "yaml", yml: "yml", zsh: "sh",
};
const NAMES = { dockerfile: "Dockerfile", docker: "Dockerfile", makefile: "Makefile", make: "Makefile" };

export function fileName(language, code) {
  const known = language.toLowerCase();
  if (NAMES[known]) return NAMES[known];
  if (known === "html" || isPage(code)) return "page.html";
  if (known === "svg" || isSvg(code)) return "image.svg";
  return `code.${EXTENSIONS[known] ?? "txt"}`;
}

// "html", "svg", or null for what is no picture of anything.
export function previewKind(language, code) {
  const known = language.toLowerCase();
  if (known === "svg" || (["xml", "html", "text"].includes(known) && isSvg(code))) return "svg";
  return known === "html" || known === "htm" ? "html" : null;
}

function isSvg(code) {
  return /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)?<svg[\s>]/i.test(code.slice(0, 2000));
}

function isPage(code) {
  return /^\s*<!doctype html/i.test(code.slice(0, 200));
}

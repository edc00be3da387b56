// The words and phrases of a search, as the server reads them: "…" is a phrase, word* a beginning.
// No DOM.

const TERMS = /"([^"]*)"?|([^\s"]+)/g;
const AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

export function termsOf(query) {
  const texts = [...query.matchAll(TERMS)].map(([, phrase, word]) => phrase ?? word);
  return [...new Set(texts.map((text) => text.replace(AROUND, "")).filter(Boolean))];
}

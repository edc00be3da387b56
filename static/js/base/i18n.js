// Texts for people, in the language of the page. English is the source: a text without a translation
// is shown as it stands here. The catalogue of another language is a script before the modules
// (`static/js/locale`, made by `python -m languages`); without one, as in tests, all is English.

const catalogue = globalThis.roundtripCatalogue ?? {};

// The page's language as Intl and `lang` take it.
export const language = globalThis.document?.documentElement?.lang || "en";

export function gettext(text) {
  return translated(text) ?? text;
}

export function ngettext(one, many, count) {
  return translated(one) ?? (count === 1 ? one : many);
}

// "Delete %(name)s?" with its values: interpolate(gettext("Delete %(name)s?"), { name }).
export function interpolate(text, values) {
  return text.replace(/%\((\w+)\)s/g, (place, name) =>
    Object.hasOwn(values, name) ? String(values[name]) : place);
}

// Chinese has one form for all counts, so a text has one translation.
function translated(text) {
  return Object.hasOwn(catalogue, text) ? catalogue[text] : undefined;
}

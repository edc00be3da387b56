// A short sentence that floats for a while and is read out politely.

const SHOWN_MS = 4000;

export function toast(document, sentence) {
  const element = document.createElement("p");
  element.className = "toast";
  element.textContent = sentence;
  document.getElementById("toasts").replaceChildren(element);
  setTimeout(() => element.remove(), SHOWN_MS);
}

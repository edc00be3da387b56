// A short sentence that floats for a while and is read out politely, if wanted with a button.

const SHOWN_MS = 4000;
// With a button: time to read it, and to reach it by keyboard.
const SHOWN_WITH_BUTTON_MS = 10_000;

// `action`: { label, act } of a button, such as one that undoes what the sentence says.
export function toast(document, sentence, action = null) {
  const element = document.createElement("p");
  element.className = "toast";
  element.textContent = sentence;
  if (action) element.append(" ", buttonOf(document, element, action));
  document.getElementById("toasts").replaceChildren(element);
  setTimeout(() => element.remove(), action ? SHOWN_WITH_BUTTON_MS : SHOWN_MS);
}

function buttonOf(document, element, { label, act }) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "toast-act";
  button.textContent = label;
  button.addEventListener("click", () => {
    element.remove();
    act();
  });
  return button;
}

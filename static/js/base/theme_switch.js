// The theme switches: the choice is stored and applies at once in every open tab; who is signed in
// has it on other devices too.

export function watchThemeSwitches(document) {
  showChoice(document);
  addEventListener("storage", () => showChoice(document));
  document.addEventListener("change", (event) => {
    if (!event.target.closest?.("[data-theme-switch]")) return;
    choose(document, event.target.value);
    showChoice(document);
    keep(document, event.target.value);
  });
}

// In the account, if there is one; without a connection the browser alone keeps it.
function keep(document, theme) {
  const url = document.querySelector("[data-theme-switch][data-keep-url]")?.dataset.keepUrl;
  const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value;
  if (!url || !token) return;
  const body = new URLSearchParams({ theme, csrfmiddlewaretoken: token });
  fetch(url, { method: "POST", body }).catch(() => {});
}

function choose(document, theme) {
  document.documentElement.dataset.theme = theme;
  tintFrame(document);
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }
}

// The frame of the installed app, and the bar of a phone's browser, have the colour of the page.
function tintFrame(document) {
  const colour = getComputedStyle(document.documentElement).backgroundColor;
  for (const meta of document.querySelectorAll("meta[name=theme-color]")) meta.content = colour;
}

function showChoice(document) {
  const theme = document.documentElement.dataset.theme ?? "system";
  for (const input of document.querySelectorAll("[data-theme-switch] input")) {
    input.checked = input.value === theme;
  }
}

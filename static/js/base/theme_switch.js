// The theme switch: the choice is stored and applies at once in every open tab.

export function watchThemeSwitches(document) {
  showChoice(document);
  addEventListener("storage", () => showChoice(document));
  document.addEventListener("change", (event) => {
    if (!event.target.closest?.("[data-theme-switch]")) return;
    choose(document, event.target.value);
  });
}

function choose(document, theme) {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }
}

function showChoice(document) {
  const theme = document.documentElement.dataset.theme ?? "system";
  for (const input of document.querySelectorAll("[data-theme-switch] input")) {
    input.checked = input.value === theme;
  }
}

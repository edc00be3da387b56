// Runs before the first paint (a classic script in <head>), so that a chosen theme never flashes.
(() => {
  const themes = ["light", "dark"];
  const root = document.documentElement;

  function stored() {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // storage may be forbidden; the system's theme is fine then
    }
  }

  function show(theme) {
    root.dataset.theme = themes.includes(theme) ? theme : "system";
  }

  show(stored());
  addEventListener("storage", (event) => {
    if (event.key === "theme") show(event.newValue);
  });
})();

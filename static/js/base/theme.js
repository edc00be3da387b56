// Runs before the first paint (a classic script in <head>), so that a chosen theme never flashes. The
// theme of an account comes with the page; it is stored for the pages that one sees signed out.
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

  function store(theme) {
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // Storage may be forbidden; signed out the system's theme counts then.
    }
  }

  if ("accountTheme" in root.dataset) store(root.dataset.theme);
  else show(stored());
  addEventListener("storage", (event) => {
    if (event.key === "theme") show(event.newValue);
  });
})();

// The offline page (a classic script in its <head>): the theme that this browser has stored, and the
// page that was asked for as soon as there is a connection.
(() => {
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be forbidden; the system's theme is fine then.
  }
  addEventListener("online", () => location.reload());
})();

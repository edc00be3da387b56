// The switch of the web beside the message: shows at once what it was switched to, and what the menu
// of tools, or another tab, says.

export function watchWebSwitch(document, tools) {
  const button = document.getElementById("web-switch");
  const show = (isOn) => {
    if (isOn === undefined) return;
    button.hidden = isOn === null;
    button.setAttribute("aria-pressed", String(isOn === true));
    button.title = isOn ? button.dataset.titleOn : button.dataset.titleOff;
  };
  show(tools.web);
  tools.addEventListener("web", () => show(tools.web));
  tools.addEventListener("refused", () => tools.load());
  button.addEventListener("click", () => {
    const isOn = button.getAttribute("aria-pressed") !== "true";
    show(isOn);
    tools.switchWeb(isOn);
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && !button.hidden) tools.load();
  });
}

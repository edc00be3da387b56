// If the keyboard of a phone covers the page instead of shrinking it (iOS), sets the page's height to
// the visible part, so that the composer stays above the keyboard.

export function watchViewport(document) {
  const viewport = window.visualViewport;
  if (!viewport) return;
  const update = () => {
    const covered = window.innerHeight - viewport.height;
    const isKeyboard = covered > 100 && viewport.scale === 1;
    const { style } = document.documentElement;
    if (isKeyboard) style.setProperty("--viewport-height", `${viewport.height}px`);
    else style.removeProperty("--viewport-height");
  };
  viewport.addEventListener("resize", update);
}

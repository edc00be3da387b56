// How high the head of the trace page is that stays in sight, for what stands below it.

export function measureHead(document) {
  const root = document.documentElement;
  const observer = new ResizeObserver(([{ target }]) => {
    const isKept = getComputedStyle(target).position === "sticky";
    if (isKept) root.style.setProperty("--trace-head", `${target.offsetHeight}px`);
    else root.style.removeProperty("--trace-head");
  });
  let head = null;
  return () => {
    const found = document.querySelector(".trace-head");
    if (!found || found === head) return;
    observer.disconnect();
    head = found;
    observer.observe(head);
  };
}

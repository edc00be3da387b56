// Banners over the page: being offline, notices of the server, messages that can be dismissed.

export function showBanner(document, name, shown) {
  const banner = document.querySelector(`[data-banner="${name}"]`);
  if (banner) banner.hidden = !shown;
}

export function watchConnection(document) {
  const update = () => showBanner(document, "offline", navigator.onLine === false);
  addEventListener("online", update);
  addEventListener("offline", update);
  update();
}

export function watchDismissals(document) {
  document.addEventListener("click", (event) => {
    event.target.closest?.("[data-dismiss]")?.closest(".banner")?.remove();
  });
}

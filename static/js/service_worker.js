/* global SHELL */
// The service worker: where a page cannot be loaded, it shows our offline page in place of the
// browser's. It keeps that page and its files, and nothing else. `config.web_app` serves it, with SHELL
// = { version, page, files } before it.

const PREFIX = "offline ";
const CACHE = PREFIX + SHELL.version;

// It holds nothing that an open tab needs, so that a newer one need not wait for them to close.
addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(store());
});

addEventListener("activate", (event) => event.waitUntil(begin()));

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.mode === "navigate") {
    // Forms and frames are left to the browser.
    if (request.method === "GET" && request.destination === "document") event.respondWith(page(event));
  } else if (SHELL.files.includes(new URL(request.url).pathname)) {
    event.respondWith(file(request));
  }
});

async function store() {
  const cache = await caches.open(CACHE);
  const addresses = [SHELL.page, ...SHELL.files];
  await cache.addAll(addresses.map((address) => new Request(address, { cache: "reload" })));
}

// Pages are requested while the worker starts, so that none comes later for it.
async function begin() {
  await self.registration.navigationPreload?.enable();
  const names = await caches.keys();
  const older = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(older.map((name) => caches.delete(name)));
}

async function page({ request, preloadResponse }) {
  try {
    return (await preloadResponse) ?? (await fetch(request));
  } catch {
    return (await stored(SHELL.page)) ?? Response.error();
  }
}

async function file(request) {
  return (await stored(request)) ?? fetch(request);
}

async function stored(request) {
  const cache = await caches.open(CACHE);
  return cache.match(request);
}

// Whether the page is connected to the server, for all of its parts.

let isCut = false;

export function setCut(value) {
  isCut = value;
}

export function isOffline() {
  return isCut || navigator.onLine === false;
}

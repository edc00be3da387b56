// Whether this page hears of the server, for all parts of it.

let isCut = false;

export function setCut(value) {
  isCut = value;
}

export function isOffline() {
  return isCut || navigator.onLine === false;
}

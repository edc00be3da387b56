// Passkeys and security keys (Web Authentication Level 3): a form `data-passkey` asks the browser for
// a credential before it is sent. "login" fetches its options; the others have them on the page.

import { gettext } from "../base/i18n.js";
import { toast } from "../base/toast.js";
import { creationOptions, credentialJSON, requestOptions } from "./credentials.js";

for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!("PublicKeyCredential" in window)) continue;
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    if (form.elements.credential.value) return;
    event.preventDefault();
    ask(form);
  });
}

async function ask(form) {
  try {
    const credential = form.dataset.passkey === "create" ? await create(form) : await get(form);
    form.elements.credential.value = JSON.stringify(credentialJSON(credential));
    form.submit();
  } catch (error) {
    const cancelled = error.name === "NotAllowedError" || error.name === "AbortError";
    toast(
      document,
      cancelled
        ? gettext("No passkey was chosen.")
        : gettext("This browser could not use a passkey here. Passkeys need HTTPS, or localhost."),
    );
  }
}

function create(form) {
  const isPasskey = form.elements.passwordless.checked;
  const options = creationOptions(onPage(form).creation_options, isPasskey);
  return navigator.credentials.create(options);
}

async function get(form) {
  const given = form.dataset.passkey === "login" ? await fetched(form) : onPage(form);
  return navigator.credentials.get(requestOptions(given.request_options));
}

async function fetched(form) {
  const response = await fetch(form.action, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}

function onPage(form) {
  return JSON.parse(form.querySelector("#passkey-options").textContent);
}

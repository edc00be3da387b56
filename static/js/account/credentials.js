// Options and credentials of WebAuthn between JSON, where bytes are base64url, and the browser's
// objects, where they are buffers. Not every browser has `parseCreationOptionsFromJSON`.

export function creationOptions({ publicKey }, isPasskey) {
  const selection = { ...publicKey.authenticatorSelection };
  selection.residentKey = isPasskey ? "required" : "discouraged";
  selection.requireResidentKey = isPasskey;
  if (isPasskey) selection.userVerification = "required";
  return {
    publicKey: {
      ...publicKey,
      authenticatorSelection: selection,
      challenge: toBytes(publicKey.challenge),
      user: { ...publicKey.user, id: toBytes(publicKey.user.id) },
      excludeCredentials: withBytes(publicKey.excludeCredentials),
    },
  };
}

export function requestOptions({ publicKey }) {
  return {
    publicKey: {
      ...publicKey,
      challenge: toBytes(publicKey.challenge),
      allowCredentials: withBytes(publicKey.allowCredentials),
    },
  };
}

// What the server reads: `RegistrationResponseJSON` or `AuthenticationResponseJSON`.
export function credentialJSON(credential) {
  const response = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (credential.response[name]) response[name] = toText(credential.response[name]);
  }
  if (credential.response.getTransports) response.transports = credential.response.getTransports();
  return {
    id: credential.id,
    rawId: toText(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults(),
    response,
  };
}

export function toBytes(text) {
  const padded = text.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(padded), (character) => character.charCodeAt(0));
}

export function toText(buffer) {
  const characters = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte));
  return btoa(characters.join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function withBytes(descriptors) {
  return (descriptors ?? []).map((one) => ({ ...one, id: toBytes(one.id) }));
}

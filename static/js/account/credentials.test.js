import assert from "node:assert/strict";
import { test } from "node:test";

import { creationOptions, credentialJSON, requestOptions, toBytes, toText } from "./credentials.js";

test("bytes are the same after both ways", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  assert.deepEqual(toBytes(toText(bytes.buffer)), bytes);
});

test("a passkey is asked to be discoverable and to verify its person", () => {
  const given = { publicKey: { challenge: "AQI", user: { id: "Aw", name: "x" } } };
  const { publicKey } = creationOptions(given, true);
  assert.equal(publicKey.authenticatorSelection.residentKey, "required");
  assert.equal(publicKey.authenticatorSelection.userVerification, "required");
  assert.deepEqual(publicKey.challenge, Uint8Array.of(1, 2));
});

test("the keys that may answer are named by bytes", () => {
  const given = { publicKey: { challenge: "AQ", allowCredentials: [{ id: "_-8", type: "public-key" }] } };
  assert.deepEqual(requestOptions(given).publicKey.allowCredentials[0].id, Uint8Array.of(255, 239));
});

test("a credential is written as JSON with what the browser gave", () => {
  const bytes = Uint8Array.of(1, 2).buffer;
  const written = credentialJSON({
    id: "AQI",
    rawId: bytes,
    type: "public-key",
    response: { clientDataJSON: bytes, signature: bytes },
    getClientExtensionResults: () => ({}),
  });
  assert.deepEqual(written.response, { clientDataJSON: "AQI", signature: "AQI" });
});

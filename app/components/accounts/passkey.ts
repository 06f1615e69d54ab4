import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import { type Answer, callApi } from "#app/components/forms/api.ts";

/** Lets the user confirm with a passkey and sends its response. `failed` is the message of an unexplained failure. */
export async function answerPasskey<T>(path: string, failed: string): Promise<Answer<T>> {
  const options = await callApi<PublicKeyCredentialRequestOptionsJSON>("/second-factor/challenge", {
    method: "POST",
    failed,
  });
  if (!options.ok) return options;
  const assertion = await askBrowser(() => startAuthentication({ optionsJSON: options.value }), failed);
  return assertion.ok ? callApi<T>(path, { json: { response: assertion.value }, failed }) : assertion;
}

/** Creates a passkey in the browser and saves it under a name. */
export async function makePasskey<T>(name: string, failed: string): Promise<Answer<T>> {
  const options = await callApi<PublicKeyCredentialCreationOptionsJSON>("/second-factor/passkey-options", {
    method: "POST",
    failed,
  });
  if (!options.ok) return options;
  const credential = await askBrowser(() => startRegistration({ optionsJSON: options.value }), failed);
  if (!credential.ok) return credential;
  return callApi<T>("/second-factor/passkeys", { json: { name, response: credential.value }, failed });
}

/** Turns the errors that the browser throws into a failure with a message for the user. */
async function askBrowser<T>(ask: () => Promise<T>, failed: string): Promise<Answer<T>> {
  try {
    return { ok: true, value: await ask() };
  } catch (error) {
    const message = (error instanceof Error && PROBLEMS[error.name]) || failed;
    return { ok: false, message, reference: "", status: 0, declined: false, loss: "" };
  }
}

const NOT_USED = "The passkey was not used. Try again when you are ready.";
const PROBLEMS: Record<string, string> = {
  NotAllowedError: NOT_USED,
  AbortError: NOT_USED,
  InvalidStateError: "This device is already registered as a passkey.",
};

import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import { callApi } from "./call-api.ts";

/** Lets the user touch a passkey and sends its answer. Throws where the browser or the server refuses. */
export async function answerPasskey<T>(path: string): Promise<T> {
  const optionsJSON = await callApi<PublicKeyCredentialRequestOptionsJSON>("/second-factor/challenge", {
    method: "POST",
  });
  const response = await startAuthentication({ optionsJSON });
  return callApi<T>(path, { method: "POST", body: { response } });
}

/** Lets the browser make a passkey and keeps it under a name. Throws where the browser or the server refuses. */
export async function makePasskey<T>(name: string): Promise<T> {
  const optionsJSON = await callApi<PublicKeyCredentialCreationOptionsJSON>(
    "/second-factor/passkey-options",
    {
      method: "POST",
    },
  );
  const response = await startRegistration({ optionsJSON });
  return callApi<T>("/second-factor/passkeys", { method: "POST", body: { name, response } });
}

/** Whether the user or the browser broke off, which needs no more words than these. */
export function passkeyProblem(error: unknown, fallback: string): string {
  if (error instanceof Error && (error.name === "NotAllowedError" || error.name === "AbortError"))
    return "The passkey was not used. Try again when you are ready.";
  if (error instanceof Error && error.name === "InvalidStateError")
    return "This device is a passkey of yours already.";
  return (error instanceof Error && error.name === "ApiError" && error.message) || fallback;
}

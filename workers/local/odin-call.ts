/** Calls a running Odin for an operator's command: JSON with a token. An error response ends the command. */

/** Attempts of a call that a deployment or the network interrupted. */
const TRIES = 5;

type Command = { base: string | undefined; token: string | undefined; usage: string };

export function callOdin({ base, token, usage }: Command) {
  if (!base || !isAddress(base) || !token) {
    console.error(usage);
    process.exit(2);
  }
  return async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    for (let tries = 1; ; tries++) {
      const response = await fetch(new URL(path, base), {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: "error",
        signal: AbortSignal.timeout(5 * 60_000),
      }).catch((error: Error) => error);
      if (response instanceof Response && response.ok) return await response.json();
      if (!(response instanceof Response)) {
        if (tries === TRIES) {
          const cause = response.cause instanceof Error ? `: ${response.cause.message}` : "";
          console.error(`${base} could not be reached: ${response.message}${cause}`);
          process.exit(2);
        }
      } else if (response.status !== 503 || tries === TRIES) {
        console.error(`${response.status}: ${messageOf(await response.text(), response.status)}`);
        process.exit(2);
      }
      await new Promise((resolve) => setTimeout(resolve, 2000 * tries));
    }
  };
}

const isAddress = (text: string) => /^https?:$/.test(URL.parse(text)?.protocol ?? "");

/** Returns the message of an error response; for a failure of Odin with the reference of its line in the log. */
function messageOf(text: string, status: number): string {
  try {
    const { message, request_id }: { message?: string; request_id?: string } = JSON.parse(text);
    const reference = status >= 500 && request_id ? ` Reference in the log: ${request_id}` : "";
    return `${message ?? text}${reference}`;
  } catch {
    return text;
  }
}

export function sizeOf(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString("en-US", { maximumFractionDigits: 1 })} MB`;
}

import { RemixBrowser } from "@remix-run/react";
import { StrictMode, useEffect } from "react";
import { hydrateRoot } from "react-dom/client";
import { reportSessionEnd } from "#app/components/accounts/session/events.ts";
import { RequestIdContext } from "#app/components/shell/document-contexts.ts";
import { keepDataOnFailure } from "#app/components/shell/kept-data.ts";
import { noteBuild, openNotedScreen, opensAsPage } from "#app/components/shell/opening.ts";
import { fetchCode } from "#app/components/shell/screen-code.ts";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { SECOND } from "#app/lib/time/dates.ts";

/** Waits between attempts to load a screen's data while the server does not answer: doubled each time, up to a limit. */
const FIRST_WAIT_MS = SECOND;
const LONGEST_WAIT_MS = 15 * SECOND;

openNotedScreen();
keepPageOnFailure();
ignoreCanceledLoads();

// Remix suspends the whole page until the page's data is decoded. A key press during that time makes React discard the
// page (error 345), so hydration starts once the data is decoded and then runs in one step, not as a transition.
dataDecoded().then(() =>
  hydrateRoot(
    document,
    <StrictMode>
      <RequestIdContext.Provider value={document.documentElement.dataset.request ?? ""}>
        <Browser />
      </RequestIdContext.Provider>
    </StrictMode>,
  ),
);

function Browser() {
  // Remix creates its router when it is first rendered.
  useEffect(() => {
    awaitCode(window.__remixRouter.routes);
    keepDataOnFailure(window.__remixRouter.routes);
  }, []);
  return <RemixBrowser />;
}

/** Waits until the page's data is decoded: RemixBrowser throws that promise before it uses any hook. */
async function dataDecoded(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (thrown) {
    if (thrown instanceof Promise) await thrown;
  }
}

/**
 * Keeps the current page when the data of the next screen cannot be loaded. Remix would replace the page with an error,
 * and unsaved input would be lost. While the server does not answer, retries and tells the user. If the session has
 * ended, leaves the request open until the router aborts it, as the session lock does when it reloads or cancels; so it
 * does while the browser loads the screen as a page after a deployment.
 *
 * Wraps window.fetch, because Remix has no other hook for these requests.
 */
function keepPageOnFailure(): void {
  const send = window.fetch;
  window.fetch = async (input, init) => {
    const signal = init?.signal;
    // A form is never submitted twice.
    const isForm = (init?.method ?? "GET") !== "GET";
    if (!signal || !(input instanceof URL) || !input.pathname.endsWith(".data")) return send(input, init);
    const ask = async () => fromOdin(await send(input, init));
    if (isForm) {
      const answer = await ask();
      noteBuild(answer);
      return answer;
    }
    const answer = await retryUntilAnswered(async () => whole(await ask()), signal);
    const isLeft = answer.status === 401 ? reportSessionEnd() : await opensAsPage(input, answer);
    if (!isLeft) return answer;
    return new Promise((_, reject) => onAbort(signal, reject));
  };
}

type Routes = typeof window.__remixRouter.routes;

/**
 * Keeps the current page while the code of the next screen, or of a form of another screen, cannot be loaded: retries and
 * tells the user, as for the data.
 */
function awaitCode(routes: Routes): void {
  for (const route of routes) {
    const load = route.lazy;
    if (load)
      route.lazy = async () => {
        await retryUntilAnswered(() => fetchCode(route.id), new AbortController().signal);
        return load();
      };
    awaitCode(route.children ?? []);
  }
}

/** The type of Remix's answers. */
const DATA_TYPE = "text/x-script";

/**
 * Returns an answer of Odin, and rejects another: that of a gateway which cannot reach Odin, or of a network which asks to
 * sign in first. Remix would show an error page for it.
 */
function fromOdin(answer: Response): Response {
  if (answer.headers.get("content-type")?.startsWith(DATA_TYPE)) return answer;
  throw new TypeError();
}

/**
 * Returns an answer once all of it has arrived. Remix would take a connection that is lost in the middle of an answer, and
 * a load that the router cancels there, for an answer that cannot be read, and show or log an error.
 */
async function whole(answer: Response): Promise<Response> {
  if (!answer.body) return answer;
  const { status, statusText, headers } = answer;
  return new Response(await answer.arrayBuffer(), { status, statusText, headers });
}

function onAbort(signal: AbortSignal, tell: (reason: unknown) => void): void {
  if (signal.aborted) tell(signal.reason);
  else signal.addEventListener("abort", () => tell(signal.reason), { once: true });
}

/**
 * Remix awaits only the first part of an answer, so browsers report the rest of a load that the router cancels as an
 * unhandled error. Everything else is still reported.
 */
function ignoreCanceledLoads(): void {
  window.addEventListener("unhandledrejection", (event) => {
    if (event.reason instanceof DOMException && event.reason.name === "AbortError") event.preventDefault();
  });
}

async function retryUntilAnswered<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  let notice: number | undefined;
  try {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      try {
        return await ask();
      } catch (error) {
        if (signal.aborted) throw error;
      }
      notice ??= notify.error("Odin cannot be reached.", {
        description: "Odin keeps trying. Your entries on this page are kept.",
      });
      await pause(wait, signal);
    }
  } finally {
    if (notice !== undefined) notify.dismiss(notice);
  }
}

/** Ends early when the network is back; rejects when the request is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    addEventListener("online", () => resolve(), { once: true, signal });
    onAbort(signal, (reason) => {
      clearTimeout(timer);
      reject(reason);
    });
  });
}

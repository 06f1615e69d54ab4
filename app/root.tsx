import interUrl from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url";
import monoUrl from "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?url";
import type { LinksFunction, MetaFunction } from "@remix-run/cloudflare";
import {
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  type ShouldRevalidateFunctionArgs,
  useLoaderData,
  useLocation,
  useNavigation,
  useRouteLoaderData,
} from "@remix-run/react";
import { CircleCheck } from "lucide-react";
import { type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { NonceContext, RequestIdContext } from "#app/components/shell/document-contexts.ts";
import { NavigationBar } from "#app/components/shell/navigation-bar.tsx";
import { useOpeningNote } from "#app/components/shell/opening.ts";
import { usePlainPage } from "#app/components/shell/plain-page.ts";
import { errorTitle, RouteError } from "#app/components/shell/route-error.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { rootLoader } from "#app/http/screen.ts";
import stylesUrl from "#app/styles/app.css?url";

export const loader = rootLoader;

/** The signed-in user does not change within a screen, so a changed query, as for an opened read, loads nothing. */
export function shouldRevalidate(args: ShouldRevalidateFunctionArgs) {
  const { currentUrl, nextUrl, formMethod, defaultShouldRevalidate } = args;
  const isSameScreen = currentUrl.pathname === nextUrl.pathname && currentUrl.search !== nextUrl.search;
  return isSameScreen && !formMethod ? false : defaultShouldRevalidate;
}

export const meta: MetaFunction = ({ error }) => [{ title: error ? errorTitle(error) : "Odin" }];

export const links: LinksFunction = () => [
  { rel: "stylesheet", href: stylesUrl },
  // On a phone's connection the fonts would delay the styles: there they load once text uses them.
  ...[interUrl, monoUrl].map((href) => ({
    rel: "preload",
    as: "font",
    type: "font/woff2",
    href,
    crossOrigin: "anonymous" as const,
    media: "(width >= 40rem)",
  })),
  { rel: "icon", href: "/favicon.svg", type: "image/svg+xml" },
];

export function Layout({ children }: { children: ReactNode }) {
  const nonce = useContext(NonceContext);
  const chosen = useRouteLoaderData<typeof loader>("root")?.theme ?? "system";
  const requestId = useContext(RequestIdContext);
  const isPlain = usePlainPage();
  const theme = isPlain ? "system" : chosen;
  return (
    // The theme switch changes the attribute directly.
    <html
      lang="en"
      data-theme={theme}
      data-request={isPlain ? undefined : requestId}
      suppressHydrationWarning
    >
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {!isPlain && (
          <>
            <meta name="robots" content="noindex, nofollow" />
            <link rel="manifest" href="/manifest.webmanifest" />
            <link rel="apple-touch-icon" href="/icon-192.png" />
          </>
        )}
        <Meta />
        <Links />
      </head>
      <body>
        {children}
        {!isPlain && (
          <>
            <ScrollRestoration nonce={nonce} />
            <Scripts nonce={nonce} />
          </>
        )}
      </body>
    </html>
  );
}

/** The result of a form that was sent without scripts, above the next page. */
function FormNotice({ message }: { message: string }) {
  if (!message) return null;
  return (
    <p
      role="status"
      className="flex items-start gap-2 border-b border-line bg-ok-soft px-4 py-2 font-medium wrap-anywhere text-ok sm:px-6"
    >
      <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      {message}
    </p>
  );
}

export default function App() {
  const { user, standing, theme, notice } = useLoaderData<typeof loader>();
  if (usePlainPage()) return <Outlet />;
  return (
    <>
      <NavigationProgress />
      <NavigationBar user={user} standing={standing} theme={theme} />
      <FormNotice message={notice} />
      <Outlet />
    </>
  );
}

/** A thin line at the top of the window while the next screen loads. */
function NavigationProgress() {
  useOpeningNote();
  const busy = useNavigation().state !== "idle";
  const title = useNextTitle(busy);
  return (
    <>
      {busy && (
        <div aria-hidden="true" className="fixed inset-x-0 top-0 z-20 h-0.5 overflow-hidden text-accent">
          <div className="h-full w-2/5 animate-slide bg-current" />
        </div>
      )}
      <LiveRegion>{busy ? "Loading" : title}</LiveRegion>
    </>
  );
}

/**
 * Returns the title of the screen that was opened from another one; "" for the first. Screen readers read the title of a
 * page that the browser loads, but not one that scripts change, and the focus may stay on the link in the bar.
 */
function useNextTitle(busy: boolean): string {
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  const [title, setTitle] = useState("");
  useEffect(() => {
    if (busy || shown.current === pathname) return setTitle("");
    shown.current = pathname;
    setTitle(document.title);
  }, [busy, pathname]);
  return title;
}

export function ErrorBoundary() {
  const known = useRouteLoaderData<typeof loader>("root");
  return (
    <>
      <NavigationBar
        user={known?.user ?? null}
        standing={known?.standing ?? null}
        theme={known?.theme ?? "system"}
      />
      <RouteError />
    </>
  );
}

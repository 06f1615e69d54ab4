import { isRouteErrorResponse } from "@remix-run/react";

type Routes = typeof window.__remixRouter.routes;

/**
 * Keeps the data, and so the screen and its input, if Odin fails to reload the data, for example after a form was sent,
 * and tells the user. Remix would replace the screen with an error page. A failure to load another screen still shows
 * an error page, and so does a screen that is gone or that the user may no longer see.
 */
export function keepDataOnFailure(routes: Routes): void {
  for (const route of routes) {
    const { id, loader: load, children = [] } = route;
    if (typeof load === "function") {
      const keeping: typeof load = async (args, context) => {
        try {
          return await load(args, context);
        } catch (error) {
          const { location, loaderData } = window.__remixRouter.state;
          const { pathname, search } = new URL(args.request.url);
          const isShown = id in loaderData && pathname === location.pathname && search === location.search;
          if (args.request.signal.aborted || !isShown || !isFailure(error)) throw error;
          void import("./outdated-notice.ts").then(({ noteOutdated }) => noteOutdated(id, error));
          return loaderData[id];
        }
      };
      // Remix stores a property on the function.
      route.loader = Object.assign(keeping, load);
    }
    keepDataOnFailure(children);
  }
}

function isFailure(error: unknown): boolean {
  return isRouteErrorResponse(error) ? error.status >= 500 : error instanceof Error;
}

import { createRequestHandler, type ServerBuild } from "@remix-run/cloudflare";
import { describe, expect, it } from "vitest";
import { endpointHandlers } from "../../../workers/endpoint-handlers.ts";

const loader = ({ params }: { params: object }) => Response.json(params);
const screen = { default: () => null };
const route = (id: string, path: string | undefined, module: object, parentId = "root") => ({
  [id]: { id, path, parentId, module },
});

const routes = {
  root: { id: "root", path: "", module: screen },
  ...route("signed-in", undefined, screen),
  ...route("groups", "groups", screen, "signed-in"),
  ...route("group", "groups/:id", { loader }),
  ...route("rows", "groups/:id/rows", {
    loader: () => {
      throw new Response("No rows.", { status: 404 });
    },
    action: async ({ request }: { request: Request }) => new Response(await request.text()),
  }),
  ...route("first", "twice", { loader }),
  ...route("second", "twice", { loader }),
};
const entry = { module: { default: () => new Response() } };
// Only the parts that the handler of a data request uses.
const build = {
  entry,
  routes,
  assets: { routes: {} },
  future: {},
  isSpaMode: false,
} as unknown as ServerBuild;

const handlerOf = endpointHandlers(build);

describe("the handler of an endpoint", () => {
  it.each([
    ["/groups/:id", "/groups/g1", undefined],
    ["/groups/:id/rows", "/groups/g1/rows", undefined],
    ["/groups/:id/rows", "/groups/g1/rows", "some text"],
  ])("of %s returns the same response as the handler of all routes", async (pattern, path, body) => {
    const ask = async (handle: ReturnType<typeof createRequestHandler> | undefined) => {
      const request = new Request(`https://odin.example${path}`, body ? { method: "POST", body } : {});
      const answer = await handle?.(request, {} as never);
      return [answer?.status, await answer?.text()];
    };
    const own = await ask(handlerOf(pattern));
    expect(own).toEqual(await ask(createRequestHandler(build, "production")));
    expect(own[0]).toBe(pattern === "/groups/:id/rows" && !body ? 404 : 200);
    expect(handlerOf(pattern)).toBe(handlerOf(pattern));
  });

  it("is not used for screens, their data, unknown patterns, or patterns of two routes", () => {
    for (const pattern of ["/", "/groups", "/groups/:id.data", "/twice", "unmatched"])
      expect(handlerOf(pattern)).toBeUndefined();
  });
});

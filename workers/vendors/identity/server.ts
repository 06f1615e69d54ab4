/**
 * An identity provider for the demo and the tests: the `oidc-provider` package, certified for OpenID Connect, as a
 * server of its own. It pushes its people to Odin by SCIM (`/provisioning`). `/_simulator/…` changes its people and makes
 * it fail.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import Provider, { type Context } from "oidc-provider";
import { identityClientSecret } from "../credentials.ts";
import { loginPage, page } from "./pages.ts";
import { DEMO_PEOPLE, IDENTITY_PASSWORD, type Person } from "./people.ts";
import { provisioning } from "./scim/server.ts";
import { memoryStorage } from "./storage.ts";

export type Identity = { issuer: string; dispose(): Promise<void> };

/** The agency whose registration is there from the start. Others register themselves (RFC 7591). */
export const DEMO_CLIENT_ID = "odin-hartford";

const FAULTS = ["down", "silent", "issuer", "no-pkce", "clock"] as const;
type Fault = (typeof FAULTS)[number];

type Options = {
  port: number;
  /** Derives the demo's client secret. */
  secret: string;
  /** Odin's own addresses. */
  origins: readonly string[];
};

const HARTFORD = "hartford-pd";
const CLOCK_OFF_MS = 5 * 60_000;
/** The longest time in which Odin may answer the call that ends a session there. */
const LOGOUT_MS = 30_000;
const WELL_KNOWN = "/.well-known/openid-configuration";

/** Starts the provider on loopback and waits until it answers. */
export async function startIdentity({ port, secret, origins }: Options): Promise<Identity> {
  const issuer = `http://127.0.0.1:${port}`;
  const people = new Map<string, Person>(DEMO_PEOPLE.map((one) => [one.sub, one]));
  const scim = provisioning({ people, origins });
  const logoutTokens: string[] = [];
  const adapter = memoryStorage();
  const cookieKey = crypto.randomUUID();
  let fault: Fault | undefined;
  let keys = [await newKey()];
  const clients = [
    {
      client_id: DEMO_CLIENT_ID,
      client_secret: await identityClientSecret(secret, HARTFORD),
      redirect_uris: origins.map((origin) => `${origin}/sso/${HARTFORD}/callback`),
      backchannel_logout_uri: `${origins[0]}/sso/${HARTFORD}/logout`,
      backchannel_logout_session_required: true,
    },
  ];
  let provider = newProvider();

  function newProvider(): Provider {
    const made = new Provider(issuer, { adapter, ...configuration({ keys, clients, people, cookieKey }) });
    made.on("server_error", (_context, error) => console.error("identity provider", error));
    made.on("backchannel.error", (_context, error) => console.error("back-channel logout", error));
    return made;
  }

  async function simulate(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const body = await readBody(request);
    const done = (value: unknown = {}) => answerJson(response, 200, value);
    switch (path) {
      case "/_simulator/fault":
        fault = FAULTS.find((name) => name === body);
        return done();
      case "/_simulator/person": {
        const one: Person = JSON.parse(body);
        people.set(one.sub, one);
        return done();
      }
      case "/_simulator/rotate":
        keys = [await newKey()];
        provider = newProvider();
        return done();
      case "/_simulator/logout": {
        const { client, sub, sid }: { client: string; sub: string; sid: string } = JSON.parse(body);
        await (await provider.Client.find(client))?.backchannelLogout(sub, sid);
        return done();
      }
      case "/_simulator/inbox":
        if (body === "") return done(logoutTokens);
        logoutTokens.push(new URLSearchParams(body).get("logout_token") ?? "");
        return done();
      default:
        return answerJson(response, 404, {});
    }
  }

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { uid } = await provider.interactionDetails(request, response);
    if (request.method !== "POST") return answerPage(response, loginPage({ uid, people: people.values() }));
    const fields = new URLSearchParams(await readBody(request));
    const person = people.get(fields.get("person") ?? "");
    if (!person || person.inactive || fields.get("password") !== IDENTITY_PASSWORD)
      return answerPage(response, loginPage({ uid, people: people.values(), failed: true }));
    const login = { accountId: person.sub, amr: person.amr };
    await provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false });
  }

  async function manage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") return answerPage(response, scim.page());
    // Pages of other sites must not change the directory.
    const { origin } = request.headers;
    if (origin !== undefined && origin !== issuer) return answerJson(response, 403, { error: "forbidden" });
    await scim.submit(new URLSearchParams(await readBody(request)));
    response.writeHead(303, { location: "/provisioning" }).end();
  }

  /** Serves a discovery document that is wrong in one respect. */
  async function serveWrongDiscovery(response: ServerResponse): Promise<void> {
    const right = await (await fetch(`${issuer}${WELL_KNOWN}`, { headers: { "x-right": "1" } })).text();
    const changes =
      fault === "issuer"
        ? { issuer: `${issuer}/another-tenant` }
        : { code_challenge_methods_supported: ["plain"] };
    answerJson(response, 200, { ...JSON.parse(right), ...changes });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?")[0] ?? "";
    if (path.startsWith("/_simulator/")) return simulate(request, response, path);
    if (path === "/provisioning") return manage(request, response);
    if (path === "/favicon.ico") return void response.writeHead(204).end();
    if (fault === "silent") return;
    if (fault === "down") return answerJson(response, 503, {});
    if (fault === "clock") response.setHeader("date", new Date(Date.now() + CLOCK_OFF_MS).toUTCString());
    const isWrong = fault === "issuer" || fault === "no-pkce";
    if (isWrong && path === WELL_KNOWN && !request.headers["x-right"]) return serveWrongDiscovery(response);
    if (path.startsWith("/interaction/")) return interact(request, response);
    return provider.callback()(request, response);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => {
      if (!response.headersSent) answerJson(response, 400, { error: error.message });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    issuer,
    async dispose() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function configuration(input: {
  keys: JWK[];
  clients: object[];
  people: Map<string, Person>;
  cookieKey: string;
}) {
  const { keys, clients, people, cookieKey } = input;
  return {
    clients,
    jwks: { keys },
    responseTypes: ["code"],
    pkce: { required: () => true },
    claims: {
      openid: ["sub", "amr"],
      email: ["email", "email_verified"],
      profile: ["name", "preferred_username"],
      // As Okta does: groups are given only if their scope was asked for.
      groups: ["groups"],
    },
    scopes: ["openid", "email", "profile", "groups"],
    cookies: { keys: [cookieKey] },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (context: Context, form: string) => {
          context.body = page(
            "Sign out",
            `${form}<button type="submit" form="op.logoutForm" value="yes" name="logout">Sign out everywhere</button>`,
          );
        },
        postLogoutSuccessSource: (context: Context) => {
          context.body = page(
            "Signed out",
            "<p>You are signed out of the provider and of its applications.</p>",
          );
        },
      },
    },
    // The package's dispatcher refuses addresses of this machine, where the demo's Odin is. Its signal ends a logout
    // after 2.5 seconds, which a busy machine may need.
    fetch: (url: string, { dispatcher: _refusing, ...init }: RequestInit & { dispatcher?: unknown }) =>
      fetch(url, { ...init, signal: AbortSignal.timeout(LOGOUT_MS) }),
    // Seconds.
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 86_400,
      IdToken: 600,
      Interaction: 600,
      Session: 86_400,
    },
    interactions: { url: (_context: Context, { uid }: { uid: string }) => `/interaction/${uid}` },
    renderError: (context: Context, out: { error: string; error_description?: string }) => {
      context.body = page("The request is not valid", `<p>${out.error_description ?? out.error}</p>`);
    },
    findAccount: (_context: Context, sub: string) => {
      const person = people.get(sub);
      return person && !person.inactive && { accountId: sub, claims: () => ({ ...person, amr: undefined }) };
    },
    // The demo's applications belong to the agencies, so that no one is asked for consent.
    async loadExistingGrant({ oidc }: Context) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client.clientId,
        accountId: oidc.session.accountId,
      });
      grant.addOIDCScope("openid email profile groups");
      await grant.save();
      return grant;
    },
  };
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  return { ...(await exportJWK(privateKey)), alg: "RS256", use: "sig", kid: crypto.randomUUID() };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

function answerJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function answerPage(response: ServerResponse, html: string): void {
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html);
}

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from "jose";

/** The provider's next answer. Claims replace the correct ones; null omits one. */
export type Hostile = {
  claims?: Record<string, unknown>;
  userInfo?: Record<string, unknown>;
  /** Signs with a key that is not published, with the client's secret, or not at all. */
  signature?: "foreign" | "secret" | "none";
  /** What the token endpoint returns instead of tokens. */
  token?: { status: number; body: string; type?: string };
  discovery?: Record<string, unknown>;
};

/**
 * An OpenID Connect provider that gives the false answers that a test sets: `PUT /_next` takes a Hostile,
 * `POST /_logout-token` returns a signed token with the given claims, and `GET /_keys-asked` how often it gave its keys.
 */
export async function startHostileProvider(port: number) {
  const issuer = `http://127.0.0.1:${port}`;
  const own = await generateKeyPair("ES256", { extractable: true });
  const foreign = await generateKeyPair("ES256");
  const keys = [{ ...(await exportJWK(own.publicKey)), kid: "own", alg: "ES256", use: "sig" }];
  let next: Hostile = {};
  let keysAsked = 0;

  async function sign(claims: Record<string, unknown>, kind: Hostile["signature"]): Promise<string> {
    if (kind === "none") {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
      return `${part({ alg: "none" })}.${part(claims)}.`;
    }
    const jwt = new SignJWT(claims);
    if (kind === "secret")
      return jwt
        .setProtectedHeader({ alg: "HS256" })
        .sign(new TextEncoder().encode("secret-of-the-client-1234567"));
    const key: CryptoKey = kind === "foreign" ? foreign.privateKey : own.privateKey;
    return jwt.setProtectedHeader({ alg: "ES256", kid: "own" }).sign(key);
  }

  const withoutNulls = (claims: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?")[0];
    let body = "";
    for await (const chunk of request) body += chunk;
    const json = (value: unknown, status = 200) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    const now = Math.floor(Date.now() / 1000);
    if (path === "/_next") {
      next = JSON.parse(body);
      return json({});
    }
    if (path === "/_logout-token") {
      const { signature, ...claims } = JSON.parse(body);
      const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
      const right = { iss: issuer, iat: now, exp: now + 120, jti: crypto.randomUUID(), events };
      return json({ token: await sign(withoutNulls({ ...right, ...claims }), signature) });
    }
    if (path === "/.well-known/openid-configuration")
      return json({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        userinfo_endpoint: `${issuer}/me`,
        id_token_signing_alg_values_supported: ["ES256", "HS256", "none"],
        ...next.discovery,
      });
    if (path === "/_keys-asked") return json(keysAsked);
    if (path === "/jwks") {
      keysAsked += 1;
      return json({ keys });
    }
    if (path === "/me") return json(next.userInfo ?? { sub: next.claims?.sub ?? "person-1" });
    if (path !== "/token") return json({}, 404);
    if (next.token) {
      const { status, body: text, type = "application/json" } = next.token;
      return void response.writeHead(status, { "content-type": type }).end(text);
    }
    const [client] = Buffer.from((request.headers.authorization ?? "").slice(6), "base64")
      .toString()
      .split(":");
    const right = {
      iss: issuer,
      aud: decodeURIComponent(client ?? ""),
      sub: "person-1",
      iat: now,
      exp: now + 300,
      auth_time: now,
    };
    const id_token = await sign(withoutNulls({ ...right, ...next.claims }), next.signature);
    return json({ access_token: "access", token_type: "Bearer", expires_in: 60, id_token });
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    issuer,
    async dispose() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

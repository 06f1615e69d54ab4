import { inject } from "vitest";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";
import { IDENTITY_PASSWORD, type Person } from "../../workers/vendors/identity/people.ts";
import {
  bindings,
  type Client,
  client,
  newAgency,
  newUser,
  ORIGIN,
  send,
  type TestUser,
  unique,
} from "../factories.ts";
import type { Hostile } from "./hostile-provider.ts";

export const issuer = () => inject("identity").issuer;
export const hostileIssuer = () => inject("identity").hostile;

/** The secret of every client of the hostile provider. */
export const HOSTILE_SECRET = "secret-of-the-client-1234567";

export async function setFault(fault: string): Promise<void> {
  await fetch(`${issuer()}/_simulator/fault`, { method: "POST", body: fault });
}
export async function rotateKeys(): Promise<void> {
  await fetch(`${issuer()}/_simulator/rotate`, { method: "POST" });
}
export async function setNext(next: Hostile): Promise<void> {
  await fetch(`${hostileIssuer()}/_next`, { method: "PUT", body: JSON.stringify(next) });
}

/** Adds a person to the directory of the real provider. */
export async function newPerson(domain: string, over: Partial<Person> = {}): Promise<Person> {
  const sub = unique("person");
  const person = {
    sub,
    name: `Name of ${sub}`,
    email: `${sub}@${domain}`.toLowerCase(),
    email_verified: true,
    groups: [],
    amr: ["pwd"],
    ...over,
  };
  await setPerson(person);
  return person;
}
export async function setPerson(person: Person): Promise<void> {
  await fetch(`${issuer()}/_simulator/person`, { method: "POST", body: JSON.stringify(person) });
}

type Registered = { client_id: string; client_secret: string };

/** Registers a client at the real provider (RFC 7591). */
export async function register(redirectUri: string): Promise<Registered> {
  const answer = await fetch(`${issuer()}/reg`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      redirect_uris: [redirectUri],
      backchannel_logout_uri: `${issuer()}/_simulator/inbox`,
      backchannel_logout_session_required: true,
    }),
  });
  return answer.json();
}

export const formOf = (intent: string, fields: Record<string, string>): RequestInit => ({
  method: "POST",
  body: new URLSearchParams({ [FORM_FIELDS.intent]: intent, ...fields }),
});

export type Connected = {
  agencyId: string;
  domain: string;
  admin: Client;
  adminUser: TestUser;
  registered: Registered;
  /** The fields of the settings' form. */
  fields: Record<string, string>;
  save(over?: Record<string, string>): Promise<Response>;
};

/** Creates an agency whose administrator has connected it, with an approved domain of its own. */
export async function connect(
  over: Record<string, string> = {},
  given?: Registered & { issuer: string },
): Promise<Connected> {
  const agency = await newAgency();
  const adminUser = await newUser(agency.id, { role: "admin" });
  const admin = await client(adminUser);
  const domain = `${unique("police").toLowerCase()}.example`;
  const registered = given ?? (await register(`${ORIGIN}/sso/${agency.id}/callback`));
  const fields = {
    issuer: given?.issuer ?? issuer(),
    client_id: registered.client_id,
    button_name: "Test SSO",
    enabled: "on",
    create_users: "on",
    groups_claim: "groups",
    ...over,
  };
  const save = (more: Record<string, string> = {}) =>
    admin.fetch("/single-sign-on", formOf("save", { ...fields, ...more }));
  const saved = await save({ client_secret: registered.client_secret });
  if (saved.status !== 303) throw new Error(`not saved: ${saved.status} ${await saved.text()}`);
  await bindings.DB.prepare(
    "INSERT INTO sign_on_domains (domain, agency_id, requested_at, requested_by, approved_at) VALUES (?, ?, 1, '', 1)",
  )
    .bind(domain, agency.id)
    .run();
  return { agencyId: agency.id, domain, admin, adminUser, registered, fields, save };
}

let networks = 0;
/** Returns a browser with its own network address, so that rate limits by address do not add up across tests. */
export function newBrowser() {
  networks += 1;
  const jar = new Map<string, string>();
  const strict = new Set<string>();
  const ip = `198.18.${networks >> 8}.${networks & 255}`;
  return {
    jar,
    /** Requests a path of Odin. `crossSite` leaves SameSite=Strict cookies out, as a redirect from elsewhere does. */
    async go(
      path: string,
      { crossSite = false, init = {} }: { crossSite?: boolean; init?: RequestInit } = {},
    ) {
      const cookies = [...jar].filter(([name]) => !crossSite || !strict.has(name));
      const cookie = cookies.map(([name, value]) => `${name}=${value}`).join("; ");
      const answer = await send(path, {
        ...init,
        headers: {
          ...(init.headers as Record<string, string>),
          cookie,
          "cf-connecting-ip": ip,
          "sec-fetch-site": crossSite ? "cross-site" : "same-origin",
        },
      });
      keep(jar, answer, strict);
      // An unread page would log that its stream was closed.
      const { status, headers } = answer;
      return new Response(await answer.text(), { status, headers });
    },
  };
}
export type Browser = ReturnType<typeof newBrowser>;

/** Keeps the cookies of an answer, and the names of those that are SameSite=Strict. */
function keep(jar: Map<string, string>, answer: Response, strict = new Set<string>()): void {
  for (const cookie of answer.headers.getSetCookie()) {
    const [pair = "", ...attributes] = cookie.split("; ");
    const [name = "", value = ""] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
    if (attributes.some((one) => /^max-age=0$/i.test(one)) || value === "") jar.delete(name);
    else jar.set(name, value);
    if (attributes.includes("SameSite=Strict")) strict.add(name);
  }
}

/** Signs a person in at the real provider. Returns the address in Odin to which it sends the browser back. */
export async function atProvider(
  url: string,
  person: Person,
  jar = new Map<string, string>(),
): Promise<string> {
  let [next, init]: [string, RequestInit] = [url, {}];
  for (let step = 0; step < 8; step++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(next, { redirect: "manual", ...init, headers: { cookie } });
    const text = await answer.text();
    keep(jar, answer);
    const location = answer.headers.get("location");
    if (location) {
      next = new URL(location, next).href;
      init = {};
      if (new URL(next).origin !== issuer()) return next;
    } else if (text.includes("Demo identity provider")) {
      init = {
        method: "POST",
        body: new URLSearchParams({ person: person.sub, password: IDENTITY_PASSWORD }),
      };
    } else throw new Error(`the provider answered ${answer.status}: ${text.slice(0, 300)}`);
  }
  throw new Error("the provider did not finish");
}

/** Posts a logout token as a provider's server does. */
export function deliverLogout(agencyId: string, token: string): Promise<Response> {
  networks += 1;
  return send(`/sso/${agencyId}/logout`, {
    method: "POST",
    body: new URLSearchParams({ logout_token: token }),
    headers: { "cf-connecting-ip": `198.19.${networks >> 8}.${networks & 255}` },
  });
}

/** Returns the path and query of an address of Odin. */
export const pathOf = (address: string) => {
  const { pathname, search } = new URL(address);
  return pathname + search;
};

/** Starts at Odin, signs in at the provider, and returns Odin's response. */
export async function signOn(
  { agencyId }: { agencyId: string },
  person: Person,
  browser: Browser = newBrowser(),
): Promise<{ answer: Response; text: string; browser: Browser; callback: string }> {
  const begun = await browser.go(`/sso/${agencyId}?notice=2026-11`);
  const location = begun.headers.get("location");
  if (!location) throw new Error(`not redirected: ${begun.status} ${await begun.text()}`);
  const callback = pathOf(await atProvider(location, person));
  const answer = await browser.go(callback, { crossSite: true });
  return { answer, text: await answer.text(), browser, callback };
}

export type SignedOnUser = {
  id: string;
  username: string;
  role: string;
  hotlist_admin: boolean;
  hotlist_viewer: boolean;
  name: string;
  email: string;
};

/** Returns the signed-in user of a browser, or undefined. */
export async function whoIs(browser: Browser): Promise<SignedOnUser | undefined> {
  const answer = await browser.go("/get-current-user");
  return answer.status === 200 ? answer.json() : undefined;
}

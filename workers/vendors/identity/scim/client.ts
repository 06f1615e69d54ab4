/** The demo provider's SCIM 2.0 client (RFC 7644): the requests that Microsoft Entra ID and Okta send, over HTTP. */
const MEDIA = "application/scim+json";
const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const PATIENCE_MS = 10_000;

/** How PATCH names its target: with a path, as Microsoft Entra ID does, or with an object, as Okta does. */
export const PATCH_FORMS = ["path", "object"] as const;
export type PatchForm = (typeof PATCH_FORMS)[number];

/** A request and what Odin answered, for the provider's page. */
export type Exchange = { method: string; path: string; sent: string; status: number; detail: string };

/** The values that an administrator of the agency enters at the provider. */
export type Connection = { base: string; token: string; form: PatchForm };

type Options = Connection & { note: (exchange: Exchange) => void };

type ScimUser = { id: string; externalId?: string; active: boolean };
type ScimGroup = { id: string; members?: { value: string }[] };
type Listed<T> = { Resources: T[] };

/** Returns the calls of a provider that an administrator has given Odin's address and token. Each throws if refused. */
export function scimClient({ base, token, form, note }: Options) {
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const sent = body === undefined ? "" : JSON.stringify(body);
    const noted = { method, path, sent };
    let response: Response;
    let text: string;
    try {
      response = await fetch(base + path, {
        method,
        redirect: "error",
        signal: AbortSignal.timeout(PATIENCE_MS),
        headers: { authorization: `Bearer ${token}`, accept: MEDIA, ...(body && { "content-type": MEDIA }) },
        ...(body && { body: sent }),
      });
      text = await response.text();
    } catch {
      note({ ...noted, status: 0, detail: "No answer" });
      throw new Error("Odin did not answer at this address.");
    }
    const isJson = response.headers.get("content-type")?.includes("json");
    const detail: string = !response.ok && isJson ? JSON.parse(text).detail : "";
    note({ ...noted, status: response.status, detail });
    if (!response.ok) throw new Error(`Odin answered ${response.status}. ${detail}`);
    return JSON.parse(text || "null");
  }

  async function find<T>(type: "Users" | "Groups", attribute: string, value: string): Promise<T | undefined> {
    const filter = encodeURIComponent(`${attribute} eq "${value}"`);
    const { Resources } = await call<Listed<T>>("GET", `/${type}?filter=${filter}`);
    return Resources[0];
  }

  const patch = (path: string, operation: object) =>
    call("PATCH", path, { schemas: [PATCH], Operations: [operation] });

  /** Replaces an attribute. Microsoft Entra ID writes booleans as text and operations with a capital. */
  function replace(path: string, name: string, value: string | boolean) {
    if (form === "object") return patch(path, { op: "replace", value: { [name]: value } });
    const text = { true: "True", false: "False" }[String(value)] ?? value;
    return patch(path, { op: "Replace", path: name, value: text });
  }

  return {
    /** Asks for one user, to see whether the address and the token are right. */
    test: () => call("GET", "/Users?count=1"),
    findUser: (userName: string) => find<ScimUser>("Users", "userName", userName),
    findGroup: (displayName: string) => find<ScimGroup>("Groups", "displayName", displayName),
    newUser: (user: { userName: string; externalId: string; name: string }) => {
      const [givenName = "", ...rest] = user.name.split(" ");
      return call<ScimUser>("POST", "/Users", {
        schemas: [USER],
        userName: user.userName,
        externalId: user.externalId,
        displayName: user.name,
        name: { formatted: user.name, givenName, familyName: rest.join(" ") },
        emails: [{ primary: true, type: "work", value: user.userName }],
        active: true,
      });
    },
    newGroup: (displayName: string) =>
      call<ScimGroup>("POST", "/Groups", {
        schemas: [GROUP],
        displayName,
        externalId: `group:${displayName}`,
      }),
    setActive: (id: string, active: boolean) => replace(`/Users/${id}`, "active", active),
    setExternalId: (id: string, externalId: string) => replace(`/Users/${id}`, "externalId", externalId),
    addMembers: (group: string, ids: string[]) => {
      const members = ids.map((value) => ({ value }));
      return patch(
        `/Groups/${group}`,
        form === "path" ? { op: "Add", path: "members", value: members } : { op: "add", value: { members } },
      );
    },
    removeMember: (group: string, id: string) =>
      patch(
        `/Groups/${group}`,
        form === "path"
          ? { op: "Remove", path: "members", value: [{ value: id }] }
          : { op: "remove", path: `members[value eq "${id}"]` },
      ),
  };
}

export type ScimClient = ReturnType<typeof scimClient>;

import { send } from "../../factories.ts";
import { type Connected, formOf } from "../identity.ts";

const PATCH_URN = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const USER_URN = "urn:ietf:params:scim:schemas:core:2.0:User";
const GROUP_URN = "urn:ietf:params:scim:schemas:core:2.0:Group";

export type Resource = {
  id: string;
  userName: string;
  displayName: string;
  externalId: string;
  active: boolean;
  emails: { value: string }[];
  members: { value: string }[];
  groups: { value: string; display: string }[];
  meta: { version: string; location: string };
};
export type Page = { totalResults: number; itemsPerPage: number; startIndex: number; Resources: Resource[] };

/** Creates the agency's token with the screen's form, as a browser without scripts does, and returns it. */
export async function newToken({ admin }: Pick<Connected, "admin">): Promise<string> {
  const answer = await admin.fetch("/single-sign-on", formOf("scim-token", {}));
  const [token] = /odin_scim_[\w-]{43}/.exec(await answer.text()) ?? [];
  if (!token) throw new Error(`no token: ${answer.status}`);
  return token;
}

export type Answer<T> = { status: number; body: T; headers: Headers };
export type ScimError = { scimType?: string; detail: string; status: string };

/** Returns a SCIM client that uses a token, as an identity provider does. */
export function scimClientOf(token: string) {
  async function call<T = Resource>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const answer = await send(`/scim/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/scim+json" }),
        "user-agent": "Identity provider",
        ...headers,
      },
      ...(body !== undefined && {
        body: typeof body === "string" || body instanceof Blob ? body : JSON.stringify(body),
      }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === "" ? undefined : JSON.parse(text),
    };
  }
  return {
    token,
    call,
    find: (type: "Users" | "Groups", filter: string) =>
      call<Page>("GET", `/${type}?filter=${encodeURIComponent(filter)}`),
    patch: (path: string, ...Operations: unknown[]) =>
      call<Resource & ScimError>("PATCH", path, { schemas: [PATCH_URN], Operations }),
    /** Creates a user. Throws unless it is created. */
    async newUser(userName: string, more: object = {}): Promise<Resource> {
      const { status, body } = await call("POST", "/Users", userOf(userName, more));
      if (status !== 201) throw new Error(`not created: ${status} ${JSON.stringify(body)}`);
      return body;
    },
    async newGroup(displayName: string, members: string[] = []): Promise<Resource> {
      const group = { schemas: [GROUP_URN], displayName, members: members.map((value) => ({ value })) };
      const { status, body } = await call("POST", "/Groups", group);
      if (status !== 201) throw new Error(`not created: ${status} ${JSON.stringify(body)}`);
      return body;
    },
  };
}
export type ScimTestClient = ReturnType<typeof scimClientOf>;

/** A user as Microsoft Entra ID and Okta send one. */
export const userOf = (userName: string, more: object = {}) => ({
  schemas: [USER_URN],
  userName,
  externalId: `ext-${userName}`,
  name: { givenName: "Ann", familyName: "Example" },
  displayName: "Ann Example",
  emails: [{ primary: true, type: "work", value: userName }],
  active: true,
  ...more,
});

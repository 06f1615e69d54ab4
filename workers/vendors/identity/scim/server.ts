/**
 * The demo provider's page for its administrator, at `/provisioning`: connects the provider to Odin's SCIM 2.0, changes
 * people and their groups, and pushes every change. The connection ends with the process.
 */
import { DEMO_GROUPS, type Person } from "../people.ts";
import { type Connection, type Exchange, PATCH_FORMS, scimClient } from "./client.ts";
import { provisioningPage } from "./page.ts";
import { DOMAIN, peopleOf, pushAll } from "./push.ts";

const EXCHANGES_KEPT = 60;

type Options = {
  people: Map<string, Person>;
  /** Odin's own addresses: the token is sent nowhere else. */
  origins: readonly string[];
};

/** Returns the page, and what its forms do. */
export function provisioning({ people, origins }: Options) {
  const exchanges: Exchange[] = [];
  let connection: Connection | undefined;
  let notice = "";

  const client = (of: Connection) =>
    scimClient({
      ...of,
      note: (exchange) => {
        exchanges.unshift(exchange);
        exchanges.length = Math.min(exchanges.length, EXCHANGES_KEPT);
      },
    });

  async function connect(fields: URLSearchParams): Promise<string> {
    const base = (fields.get("base") ?? "").trim().replace(/\/$/, "");
    const form = PATCH_FORMS.find((one) => one === fields.get("form")) ?? "path";
    const token = (fields.get("token") ?? "").trim() || (connection?.token ?? "");
    if (!URL.canParse(base) || !origins.includes(new URL(base).origin))
      return `The address must be one of this Odin, for example ${origins[0]}/scim/v2.`;
    const tried = { base, token, form };
    await client(tried).test();
    connection = tried;
    return "Connected. Nothing has been pushed yet.";
  }

  async function push(): Promise<string> {
    if (!connection) return "Saved. Connect Odin to push it.";
    const refusals = await pushAll(client(connection), people.values());
    return refusals.length === 0
      ? "Everything was pushed."
      : `Not everything was pushed. ${refusals.join(" ")}`;
  }

  function add(fields: URLSearchParams): string | undefined {
    const name = (fields.get("name") ?? "").trim();
    const local = (fields.get("email") ?? "").trim().toLowerCase();
    if (!/^[\p{L} .'-]{1,100}$/u.test(name) || !/^[a-z0-9][a-z0-9.-]{0,60}$/.test(local))
      return "Enter a name, and letters, digits, dots or hyphens before the @.";
    const email = `${local}@${DOMAIN}`;
    if ([...people.values()].some((one) => one.email === email)) return "This address exists.";
    const sub = `hfd-${crypto.randomUUID()}`;
    const amr = ["pwd", "otp", "mfa"];
    people.set(sub, { sub, name, email, email_verified: true, groups: groupsOf(fields), amr });
    return undefined;
  }

  /** Saves a person's groups, and whether the account is active. */
  function change(fields: URLSearchParams): string | undefined {
    const person = peopleOf(people.values()).find(({ sub }) => sub === fields.get("sub"));
    if (!person) return "There is no such person.";
    const inactive = fields.get("active") === null;
    people.set(person.sub, { ...person, groups: groupsOf(fields), inactive });
    return undefined;
  }

  async function act(fields: URLSearchParams): Promise<string> {
    switch (fields.get("intent")) {
      case "connect":
        return connect(fields);
      case "disconnect":
        connection = undefined;
        return "Disconnected. Users and groups in Odin stay as they are.";
      case "push":
        return push();
      case "add":
        return add(fields) ?? (await push());
      case "change":
        return change(fields) ?? (await push());
      default:
        return "";
    }
  }

  return {
    page: () =>
      provisioningPage({
        connection,
        proposed: `${origins[0]}/scim/v2`,
        people: peopleOf(people.values()),
        exchanges,
        notice,
      }),
    async submit(fields: URLSearchParams): Promise<void> {
      notice = await act(fields).catch((error: Error) => error.message);
    },
  };
}

function groupsOf(fields: URLSearchParams): string[] {
  const chosen = fields.getAll("group");
  return Object.values(DEMO_GROUPS).filter((name) => chosen.includes(name));
}

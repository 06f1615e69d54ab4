/** The people of the demo's identity provider. Synthetic, like everyone in the demo. */
export type Person = {
  /** The subject, which never changes. */
  sub: string;
  name: string;
  email: string;
  email_verified?: boolean;
  groups: string[];
  /** How the person proves who they are (RFC 8176). */
  amr: string[];
  /** The account is deactivated at the provider. */
  inactive?: boolean;
};

/** The password of everyone at the demo's identity provider. */
export const IDENTITY_PASSWORD = "Provider-Demo-2026!";

/** Groups of the demo's directory, and what they grant in Odin. */
export const DEMO_GROUPS = {
  members: "odin-users",
  admins: "odin-admins",
  hotlistAdmins: "odin-hotlist-admins",
  hotlistViewers: "odin-hotlist-viewers",
} as const;

const { members, admins, hotlistViewers } = DEMO_GROUPS;

export const DEMO_PEOPLE: readonly Person[] = [
  person("hfd-1001", "sara.sergeant@hartford-pd.example", "Sara Sergeant", [members, admins]),
  person("hfd-1002", "pete.patrol@hartford-pd.example", "Pete Patrol", [members, hotlistViewers]),
  { ...person("hfd-1003", "cleo.clerk@hartford-pd.example", "Cleo Clerk", []), amr: ["pwd"] },
  person("nhd-2001", "nell.newhaven@new-haven-pd.example", "Nell Newhaven", [members]),
];

function person(sub: string, email: string, name: string, groups: string[]): Person {
  return { sub, email, email_verified: true, name, groups, amr: ["pwd", "otp", "mfa"] };
}

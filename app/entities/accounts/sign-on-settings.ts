/** The forms and screens of single sign-on: settings of a provider, email domains, and decisions of the owner. */

import * as z from "zod/mini";
import { DOMAIN } from "./single-sign-on.ts";

/** Domains at which anyone can get an address. */
const PUBLIC_MAIL = [
  "gmail.com",
  "googlemail.com",
  "outlook.com",
  "hotmail.com",
  "live.com",
  "msn.com",
  "yahoo.com",
  "icloud.com",
  "me.com",
  "aol.com",
  "proton.me",
  "protonmail.com",
  "gmx.com",
  "mail.com",
];

const required = (words: string, most: number) =>
  z.string(words).check(z.trim(), z.minLength(1, words), z.maxLength(most, `At most ${most} characters.`));

/** The form of an email domain. */
export const EmailDomain = z.object({
  domain: required("Enter a domain, such as police.example.gov.", 253).check(
    z.toLowerCase(),
    z.regex(DOMAIN, "Enter a domain, such as police.example.gov."),
    z.refine((domain) => !PUBLIC_MAIL.includes(domain), "Anyone can get an address in this domain."),
  ),
});

export type EmailDomain = z.infer<typeof EmailDomain>;

/** The owner's decision about a domain that an agency has asked for. */
export const DomainDecision = z.object({
  domain: z.string().check(z.maxLength(253)),
  agency_id: z.string().check(z.maxLength(100)),
});

export type DomainDecision = z.infer<typeof DomainDecision>;

/** The owner's decision about the second factor of an agency's provider, as its settings were at `changed_at`. */
export const FactorDecision = z.object({
  agency_id: z.string().check(z.maxLength(100)),
  changed_at: z.coerce.number().check(z.int()),
});

export type FactorDecision = z.infer<typeof FactorDecision>;

/** The form that disconnects a user from their person at the provider. */
export const Unlink = z.object({
  username: required("Enter the username.", 64).check(z.toLowerCase()),
});

export type Unlink = z.infer<typeof Unlink>;

/** The form on the sign-in page. */
export const WorkEmail = z.object({ email: z.string().check(z.trim(), z.maxLength(254)) });

const on = z.pipe(
  z.transform((value) => value === "on" || value === true),
  z.boolean(),
);

const MAX_LINES = 50;

/** Names separated by line breaks, because a group's name may contain commas. */
const lines = z.pipe(
  z.transform((value) =>
    typeof value === "string"
      ? [
          ...new Set(
            value
              .split(/\r?\n/)
              .map((line) => line.trim())
              .filter(Boolean),
          ),
        ]
      : [],
  ),
  z
    .array(z.string().check(z.maxLength(300, "A line can have at most 300 characters.")))
    .check(z.maxLength(MAX_LINES, `At most ${MAX_LINES} lines.`)),
);

/** Values that stand for the lowest level of assurance (OpenID Connect Core section 2), or for no level at all. */
const WEAK_ACR = ["0", "1"];

const acrValues = lines.check(
  z.refine(
    (values) => !values.some((value) => WEAK_ACR.includes(value)),
    "The values 0 and 1 do not prove a second factor.",
  ),
);

/** The settings as their form sends them. An empty secret keeps the stored one. */
export const SignOnSettings = z.object({
  issuer: required("Enter the issuer.", 500),
  client_id: required("Enter the client ID.", 300),
  client_secret: z._default(
    z
      .string()
      .check(
        z.trim(),
        z.maxLength(1000, "At most 1000 characters."),
        z.regex(/^[\x21-\x7e]*$/, "A secret is plain text without spaces."),
      ),
    "",
  ),
  button_name: required("Enter the name of the button.", 60).check(
    z.regex(/^[^\p{C}]*$/u, "The name cannot contain invisible characters."),
  ),
  enabled: on,
  show_button: on,
  create_users: on,
  trust_email: on,
  trust_second_factor: on,
  no_auth_time: on,
  acr_values: acrValues,
  groups_claim: required("Enter the name of the claim, usually groups.", 200),
  member_groups: lines,
  admin_groups: lines,
  hotlist_admin_groups: lines,
  hotlist_viewer_groups: lines,
  break_glass_user: z._default(z.string().check(z.maxLength(100)), ""),
});

export type SignOnSettings = z.infer<typeof SignOnSettings>;

/** The settings as the screen shows them, without the secret. */
export type SignOnProvider = Omit<SignOnSettings, "client_secret"> & {
  second_factor_approved_at: number | null;
  tested_at: number | null;
  last_failure_at: number | null;
  last_failure: string | null;
};

export type RequestedDomain = {
  domain: string;
  agency_id: string;
  agency: string;
  requested_at: number;
  approved_at: number | null;
};

/** A provider whose second factor the agency wants Odin to accept, for the owner. */
export type RequestedFactor = {
  agency_id: string;
  agency: string;
  issuer: string;
  client_id: string;
  acr_values: string[];
  changed_at: number;
  approved_at: number | null;
};

/** A step of the test: passed, failed, or not verifiable from outside. */
export type SignOnCheck = { name: string; result: "ok" | "problem" | "unknown"; message: string };

/** A button on the sign-in page. */
export type SignOnButton = { agency_id: string; name: string; agency: string };

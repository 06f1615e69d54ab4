/** A person as the identity provider describes them by SCIM, and the fields that Odin keeps. Pure. */

import { Email } from "#app/entities/users/directory.ts";
import { isObject } from "#app/lib/json/parse.ts";
import { beginning, lowerAscii, visibleText } from "#app/lib/text.ts";
import { type ScimDocument, scimProblem } from "./attributes.ts";

/** What the provider sends beyond what Odin shows, returned to it unchanged. "" if it sent nothing. */
export type ScimProfile = {
  formatted: string;
  familyName: string;
  givenName: string;
  displayName: string;
  emailType: string;
};

export type ScimPerson = {
  /** The name at the provider. The username in Odin stays when it changes. */
  userName: string;
  externalId: string | null;
  /** The full name in Odin. */
  name: string;
  /** In lower case. */
  email: string;
  active: boolean;
  profile: ScimProfile;
};

const LONGEST_NAME = 120;
const LONGEST_USER_NAME = 254;

/** Returns the person that a resource describes. Throws invalidValue. */
export function scimPersonOf(document: ScimDocument): ScimPerson {
  const { userName, externalId, active, displayName } = document;
  const name = isObject(document.name) ? document.name : {};
  if (typeof userName !== "string" || userName.length > LONGEST_USER_NAME)
    throw scimProblem("invalidValue", `userName is required, with at most ${LONGEST_USER_NAME} characters.`);
  const address = addressOf(document.emails, userName);
  const profile = {
    formatted: textOf(name.formatted),
    familyName: textOf(name.familyName),
    givenName: textOf(name.givenName),
    displayName: textOf(displayName),
    emailType: address.type,
  };
  const { formatted, givenName, familyName } = profile;
  const names = [profile.displayName, formatted, `${givenName} ${familyName}`, userName];
  const shown = names.map(visibleText).find((one) => one !== "") ?? userName;
  return {
    userName,
    externalId: typeof externalId === "string" ? externalId : null,
    name: beginning(shown, LONGEST_NAME).trim(),
    email: address.value,
    active: active !== false,
    profile,
  };
}

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

/** Returns the address that Odin keeps. A userName that is an address stands for a missing one. */
function addressOf(emails: unknown, userName: string): { value: string; type: string } {
  const list = (Array.isArray(emails) ? emails.filter(isObject) : []).filter(
    ({ value }) => typeof value === "string",
  );
  const isWork = ({ type }: ScimDocument) => textOf(type).toLowerCase() === "work";
  const kept = list.find(({ primary }) => primary === true) ?? list.find(isWork) ?? list[0];
  const parsed = Email.safeParse(kept ? kept.value : userName);
  if (!parsed.success)
    throw scimProblem("invalidValue", "emails must contain an address such as name@example.org.");
  return { value: lowerAscii(parsed.data), type: kept ? textOf(kept.type) : "work" };
}

/** Returns the writable attributes of a person, which PATCH changes and answers contain. */
export function personDocument(person: Omit<ScimPerson, "name">): ScimDocument {
  const { userName, externalId, email, active, profile } = person;
  const { formatted, familyName, givenName, displayName, emailType } = profile;
  const name = {
    ...(formatted !== "" && { formatted }),
    ...(familyName !== "" && { familyName }),
    ...(givenName !== "" && { givenName }),
  };
  return {
    ...(externalId !== null && { externalId }),
    userName,
    ...(Object.keys(name).length > 0 && { name }),
    ...(displayName !== "" && { displayName }),
    active,
    emails: [{ value: email, ...(emailType !== "" && { type: emailType }), primary: true }],
  };
}

/** A group as the provider describes it. Members are ids of users. */
export type ScimGroup = { displayName: string; externalId: string | null; members: string[] };

const LONGEST_GROUP_NAME = 300;

/** Returns the group that a resource describes. Throws invalidValue. */
export function scimGroupOf(document: ScimDocument): ScimGroup {
  const { displayName, externalId, members } = document;
  if (typeof displayName !== "string" || displayName.length > LONGEST_GROUP_NAME)
    throw scimProblem(
      "invalidValue",
      `displayName is required, with at most ${LONGEST_GROUP_NAME} characters.`,
    );
  const ids = (Array.isArray(members) ? members.filter(isObject) : []).map(({ value, type }) => {
    if (typeof value !== "string") throw scimProblem("invalidValue", "A member has a value.");
    if (typeof type === "string" && type.toLowerCase() !== "user")
      throw scimProblem("invalidValue", "Only users can be members of a group.");
    return value;
  });
  return {
    displayName,
    externalId: typeof externalId === "string" ? externalId : null,
    members: [...new Set(ids)],
  };
}

/** Returns the attributes of a group that the provider sets, for a PATCH to change; empty ones are left out. */
export function groupDocument({ displayName, externalId, members }: ScimGroup): ScimDocument {
  return {
    ...(externalId !== null && { externalId }),
    displayName,
    ...(members.length > 0 && { members: members.map((value) => ({ value })) }),
  };
}

import { describe, expect, it } from "vitest";
import { groupDocument, personDocument, scimGroupOf, scimPersonOf } from "#app/entities/users/scim/person.ts";
import { scimRefusal } from "../../support/users/scim-refusal.ts";

const noProfile = { formatted: "", familyName: "", givenName: "", displayName: "", emailType: "" };
const person = {
  userName: "ann",
  externalId: null,
  email: "ann@pd.example",
  active: true,
  profile: noProfile,
};

describe("the person that a SCIM user describes", () => {
  it("has what the provider sent", () => {
    expect(
      scimPersonOf({
        userName: "Ann",
        externalId: "00u1",
        displayName: "Ann Bee",
        name: { formatted: "Bee, Ann", familyName: "Bee", givenName: "Ann" },
        active: false,
        emails: [{ value: "Ann@pd.example", type: "Work", primary: true }],
      }),
    ).toStrictEqual({
      userName: "Ann",
      externalId: "00u1",
      name: "Ann Bee",
      email: "ann@pd.example",
      active: false,
      profile: {
        formatted: "Bee, Ann",
        familyName: "Bee",
        givenName: "Ann",
        displayName: "Ann Bee",
        emailType: "Work",
      },
    });
  });

  it("needs only a userName that is an address, and is active unless the provider says otherwise", () => {
    const plain = {
      userName: "Ann@pd.example",
      externalId: null,
      name: "Ann@pd.example",
      email: "ann@pd.example",
      active: true,
      profile: { ...noProfile, emailType: "work" },
    };
    expect(scimPersonOf({ userName: "Ann@pd.example" })).toStrictEqual(plain);
    expect(
      scimPersonOf({ userName: "Ann@pd.example", externalId: 7, name: "Ann", emails: {} }),
    ).toStrictEqual(plain);
  });

  it.each([
    [{ givenName: "Ann" }, "Ann"],
    [{ familyName: "Bee" }, "Bee"],
    [{ givenName: "Ann", familyName: "Bee" }, "Ann Bee"],
    [{ formatted: "\u200b", givenName: "Ann" }, "Ann"],
  ])("is named by the parts of the name: %j", (name, expected) => {
    expect(scimPersonOf({ userName: "ann@pd.example", name }).name).toBe(expected);
  });

  it("has a name of at most 120 characters, without a space at the end", () => {
    const nameOf = (displayName: string) => scimPersonOf({ userName: "ann@pd.example", displayName }).name;
    expect(nameOf("x".repeat(120))).toBe("x".repeat(120));
    expect(nameOf("x".repeat(121))).toBe("x".repeat(120));
    expect(nameOf(`${"x".repeat(119)} Bee`)).toBe("x".repeat(119));
  });

  it("has a name that does not end with half of a surrogate pair", () => {
    const nameOf = (displayName: string) => scimPersonOf({ userName: "ann@pd.example", displayName }).name;
    expect(nameOf(`${"x".repeat(118)}\u{1F694}`)).toBe(`${"x".repeat(118)}\u{1F694}`);
    expect(nameOf(`${"x".repeat(119)}\u{1F694}`)).toBe("x".repeat(119));
    expect(nameOf(`${"x".repeat(118)} \u{1F694}`)).toBe("x".repeat(118));
  });

  it("has a name without invisible characters even if it is the userName", () => {
    const emails = [{ value: "ann@pd.example" }];
    expect(scimPersonOf({ userName: "an\u200bn", emails }).name).toBe("ann");
  });

  it("has a userName of at most 254 characters", () => {
    const emails = [{ value: "ann@pd.example" }];
    const refused = ["invalidValue", "userName is required, with at most 254 characters."];
    expect(scimPersonOf({ userName: "x".repeat(254), emails }).userName).toBe("x".repeat(254));
    expect(scimRefusal(() => scimPersonOf({ userName: "x".repeat(255), emails }))).toEqual(refused);
    expect(scimRefusal(() => scimPersonOf({ emails }))).toEqual(refused);
    expect(scimRefusal(() => scimPersonOf({ userName: 7, emails }))).toEqual(refused);
  });

  it.each([
    [[{ type: "work" }, { value: "b@pd.example", type: "home" }], "b@pd.example", "home"],
    [[{ value: 7, primary: true }, { value: "b@pd.example" }], "b@pd.example", ""],
    [[null, "x", { value: "b@pd.example", type: 7 }], "b@pd.example", ""],
    [[{ value: "b@pd.example" }, { value: "c@pd.example", type: "WORK" }], "c@pd.example", "WORK"],
    [[{ value: "b@pd.example" }, { value: "c@pd.example", primary: true }], "c@pd.example", ""],
    [[{ value: "b@pd.example" }, { value: "c@pd.example", primary: "true" }], "b@pd.example", ""],
    [[], "ann@pd.example", "work"],
    ["b@pd.example", "ann@pd.example", "work"],
  ])("has one of the addresses with its type: %j", (emails, email, emailType) => {
    expect(scimPersonOf({ userName: "ann@pd.example", emails })).toMatchObject({
      email,
      profile: { emailType },
    });
  });

  it("does not have another person's address by a letter that only looks the same in lower case", () => {
    const emails = [{ value: "\u212Aim@pd.example" }];
    expect("\u212Aim".toLowerCase()).toBe("kim");
    expect(scimPersonOf({ userName: "kim2", emails }).email).toBe("\u212Aim@pd.example");
  });

  it("needs an email address", () => {
    expect(scimRefusal(() => scimPersonOf({ userName: "ann" }))).toEqual([
      "invalidValue",
      "emails must contain an address such as name@example.org.",
    ]);
  });
});

describe("the SCIM attributes of a person", () => {
  it("are all that the provider sent, with the address as the primary one", () => {
    expect(
      personDocument({
        ...person,
        externalId: "00u1",
        active: false,
        profile: {
          formatted: "Bee, Ann",
          familyName: "Bee",
          givenName: "Ann",
          displayName: "Ann Bee",
          emailType: "work",
        },
      }),
    ).toStrictEqual({
      externalId: "00u1",
      userName: "ann",
      name: { formatted: "Bee, Ann", familyName: "Bee", givenName: "Ann" },
      displayName: "Ann Bee",
      active: false,
      emails: [{ value: "ann@pd.example", type: "work", primary: true }],
    });
  });

  it("leave out what has no value", () => {
    expect(personDocument(person)).toStrictEqual({
      userName: "ann",
      active: true,
      emails: [{ value: "ann@pd.example", primary: true }],
    });
  });

  it.each([[{ formatted: "Bee, Ann" }], [{ familyName: "Bee" }], [{ givenName: "Ann" }]])(
    "have only the parts of the name that have a value: %j",
    (name) => {
      expect(personDocument({ ...person, profile: { ...noProfile, ...name } }).name).toStrictEqual(name);
    },
  );
});

describe("the group that a SCIM group describes", () => {
  it("has each member once", () => {
    const members = [{ value: "a" }, { value: "b", type: "User" }, { value: "a", type: "USER" }];
    expect(scimGroupOf({ displayName: "Chiefs", externalId: "g1", members })).toStrictEqual({
      displayName: "Chiefs",
      externalId: "g1",
      members: ["a", "b"],
    });
  });

  it.each([[undefined], [[]], [{ value: "a" }], [[null, "a"]]])("can have no members: %j", (members) => {
    expect(scimGroupOf({ displayName: "Chiefs", externalId: 7, members })).toStrictEqual({
      displayName: "Chiefs",
      externalId: null,
      members: [],
    });
  });

  it("has a name of at most 300 characters", () => {
    const refused = ["invalidValue", "displayName is required, with at most 300 characters."];
    expect(scimGroupOf({ displayName: "x".repeat(300) }).displayName).toBe("x".repeat(300));
    expect(scimRefusal(() => scimGroupOf({ displayName: "x".repeat(301) }))).toEqual(refused);
    expect(scimRefusal(() => scimGroupOf({}))).toEqual(refused);
    expect(scimRefusal(() => scimGroupOf({ displayName: 7 }))).toEqual(refused);
  });

  it.each([
    ["A member has a value.", { display: "Ann" }],
    ["A member has a value.", { value: 7 }],
    ["Only users can be members of a group.", { value: "g", type: "Group" }],
    ["Only users can be members of a group.", { value: "g", type: "" }],
  ])("is refused: %s %j", (message, member) => {
    const members = [{ value: "a" }, member];
    expect(scimRefusal(() => scimGroupOf({ displayName: "Chiefs", members }))).toEqual([
      "invalidValue",
      message,
    ]);
  });
});

describe("the SCIM attributes of a group", () => {
  it("are the name, the provider's id and the members' ids, without those that have no value", () => {
    const group = { displayName: "Chiefs", externalId: "g1", members: ["a", "b"] };
    expect(groupDocument(group)).toStrictEqual({
      externalId: "g1",
      displayName: "Chiefs",
      members: [{ value: "a" }, { value: "b" }],
    });
    expect(groupDocument({ displayName: "Chiefs", externalId: null, members: [] })).toStrictEqual({
      displayName: "Chiefs",
    });
  });
});

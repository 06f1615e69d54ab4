import { type KeyboardEvent, type RefObject, useState } from "react";
import { flushSync } from "react-dom";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { Checkbox, checkStateOf } from "#app/components/ui/fields/checkbox.tsx";
import { InputField } from "#app/components/ui/fields/labeled.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import type { UsersOfAgency } from "#app/entities/hotlists/group.ts";
import { counted } from "#app/lib/number-text.ts";

/** The form field name of the member checkboxes. */
export const MEMBER = "member";

type User = UsersOfAgency["users"][number];

export type MemberFieldsProps = {
  form: RefObject<HTMLFormElement>;
  users: Record<string, User[]>;
  /** Returns whether a user is initially a member. */
  isMember: (id: string) => boolean;
  /** The members chosen now; undefined until scripts have loaded. */
  chosen: readonly string[] | undefined;
  /** IDs of users whose own agency has not accepted yet. */
  pending?: ReadonlySet<string>;
};

const NONE: ReadonlySet<string> = new Set();
/** With more users, a field finds them by name. */
const FEW = 30;
/** With more users, only the boxes of agencies that were opened are rendered: thousands take seconds. */
const MAX_RENDERED = 500;
/** Most users that are found by one search. */
const MAX_FOUND = 100;

/** Members by agency. Each agency can be collapsed and has a checkbox for all of its users. */
export function MemberFields({ form, users, isMember, chosen, pending = NONE }: MemberFieldsProps) {
  const all = Object.values(users).flat();
  const [rendered, setRendered] = useState<ReadonlySet<string>>(NONE);
  const [wanted, setWanted] = useState("");
  const found = wanted === "" ? undefined : new Set(usersFound(users, wanted).map(({ id }) => id));
  const selected = new Set(chosen ?? all.map(({ id }) => id).filter(isMember));

  const render = (people: readonly User[]) =>
    setRendered((before) => new Set([...before, ...people.map(({ id }) => id)]));

  function find(text: string) {
    setWanted(text.trim());
    if (text.trim() !== "") render(usersFound(users, text.trim()));
  }

  function setAll(people: readonly User[], on: boolean) {
    flushSync(() => render(people));
    const ids = new Set(people.map(({ id }) => id));
    for (const box of form.current?.querySelectorAll<HTMLInputElement>(`input[name=${MEMBER}]`) ?? [])
      if (ids.has(box.value) && !box.disabled) box.checked = on;
  }

  return (
    <div className="flex flex-col gap-2">
      {/* Sent even if no box is checked: members that are not sent at all stay. */}
      <input type="hidden" name="group_members" value="" />
      {all.length > FEW && (
        <InputField
          label="Find a user"
          hint={
            found && found.size === MAX_FOUND ? `The first ${MAX_FOUND}. Enter more of the name.` : undefined
          }
          className="noscript:hidden"
          type="search"
          autoComplete="off"
          placeholder="Name, email or agency"
          onKeyDown={keepForm}
          onChange={(event) => find(event.currentTarget.value)}
        />
      )}
      <LiveRegion>{found && `${counted(found.size, "user")} found`}</LiveRegion>
      {found?.size === 0 && <p className="text-muted">No user has this in the name, email or agency.</p>}
      {Object.entries(users).map(([agency, people], index) => {
        const count = people.filter(({ id }) => selected.has(id)).length;
        const isRendered = ({ id }: User) => all.length <= MAX_RENDERED || index === 0 || rendered.has(id);
        const isFound = people.some(({ id }) => found?.has(id));
        return (
          <div key={agency} hidden={found && !isFound}>
            <Collapsible
              title={agency}
              defaultOpen={index === 0}
              open={found ? isFound : undefined}
              onOpenChange={(open) => open && !found && render(people)}
              lead={
                <Checkbox
                  checked={checkStateOf(count, people.length)}
                  aria-label={`All users of ${agency}`}
                  onCheckedChange={(on) => setAll(people, on)}
                />
              }
              aside={`${count} of ${people.length}`}
            >
              <ul className="grid grid-cols-1 gap-x-4 gap-y-1 p-3 sm:grid-cols-2">
                {people.filter(isRendered).map((person) => {
                  const isPending = pending.has(person.id);
                  const isChosen = isPending || isMember(person.id);
                  return (
                    // The key makes a new box when the choice changes: an old box, still checked, would invite the agency again.
                    <li key={`${person.id} ${isChosen}`} hidden={found && !found.has(person.id)}>
                      <Checkbox
                        name={MEMBER}
                        value={person.id}
                        defaultChecked={isChosen}
                        disabled={isPending}
                        label={person.name}
                        hint={hintOf(person, isPending)}
                      />
                    </li>
                  );
                })}
              </ul>
              {!people.some(isRendered) && (
                <p className="hidden text-sm text-muted noscript:block">
                  Choosing users of this agency needs JavaScript.
                </p>
              )}
            </Collapsible>
            {people
              .filter((person) => !isRendered(person) && isMember(person.id) && !pending.has(person.id))
              .map(({ id }) => (
                <input key={id} type="hidden" name={MEMBER} value={id} />
              ))}
          </div>
        );
      })}
    </div>
  );
}

/** Returns the first users whose name, email or agency has every word of a text. */
function usersFound(users: Record<string, User[]>, text: string): User[] {
  const words = text.toLowerCase().split(/\s+/);
  return Object.entries(users)
    .flatMap(([agency, people]) =>
      people.filter(({ name, email }) => {
        const searched = `${name} ${email} ${agency}`.toLowerCase();
        return words.every((word) => searched.includes(word));
      }),
    )
    .slice(0, MAX_FOUND);
}

/** Keeps Enter from saving the group. */
function keepForm(event: KeyboardEvent): void {
  if (event.key === "Enter") event.preventDefault();
}

function hintOf({ email, hotlist }: User, isPending: boolean): string {
  if (isPending) return `${email} · pending: their agency has not accepted yet`;
  return hotlist ? email : `${email} · has no hotlist permission yet`;
}

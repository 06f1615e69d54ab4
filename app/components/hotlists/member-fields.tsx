import type { RefObject } from "react";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { Checkbox, checkStateOf } from "#app/components/ui/fields/checkbox.tsx";
import type { UsersOfAgency } from "#app/entities/hotlists/group.ts";

/** The form field name of the member checkboxes. */
export const MEMBER = "member";

export type MemberFieldsProps = {
  form: RefObject<HTMLFormElement>;
  users: Record<string, UsersOfAgency["users"]>;
  /** Returns whether a user is initially a member. */
  isMember: (id: string) => boolean;
  /** The members chosen now; undefined until scripts have loaded. */
  chosen: readonly string[] | undefined;
  /** IDs of users whose own agency has not accepted yet. */
  pending?: ReadonlySet<string>;
};

const NONE: ReadonlySet<string> = new Set();

/** Members by agency. Each agency can be collapsed and has a checkbox for all of its users. */
export function MemberFields({ form, users, isMember, chosen, pending = NONE }: MemberFieldsProps) {
  const selected = new Set(
    chosen ??
      Object.values(users)
        .flat()
        .map(({ id }) => id)
        .filter(isMember),
  );

  function setAll(ids: readonly string[], on: boolean) {
    const wanted = new Set(ids);
    for (const box of form.current?.querySelectorAll<HTMLInputElement>(`input[name=${MEMBER}]`) ?? [])
      if (wanted.has(box.value) && !box.disabled) box.checked = on;
  }

  return (
    <div className="flex flex-col gap-2">
      {/* Sent even if no box is checked: members that are not sent at all stay. */}
      <input type="hidden" name="group_members" value="" />
      {Object.entries(users).map(([agency, people], index) => {
        const count = people.filter(({ id }) => selected.has(id)).length;
        return (
          <Collapsible
            key={agency}
            title={agency}
            defaultOpen={index === 0}
            lead={
              <Checkbox
                checked={checkStateOf(count, people.length)}
                aria-label={`All users of ${agency}`}
                onCheckedChange={(on) =>
                  setAll(
                    people.map(({ id }) => id),
                    on,
                  )
                }
              />
            }
            aside={`${count} of ${people.length}`}
          >
            <ul className="grid grid-cols-1 gap-x-4 gap-y-1 p-3 sm:grid-cols-2">
              {people.map((person) => {
                const isPending = pending.has(person.id);
                const isChosen = isPending || isMember(person.id);
                return (
                  // With a key of its own, the box of a user who is no longer chosen is new. Still checked, it would invite the agency again.
                  <li key={`${person.id} ${isChosen}`}>
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
          </Collapsible>
        );
      })}
    </div>
  );
}

function hintOf({ email, hotlist }: UsersOfAgency["users"][number], isPending: boolean): string {
  if (isPending) return `${email} · pending: their agency has not accepted yet`;
  return hotlist ? email : `${email} · has no hotlist permission yet`;
}

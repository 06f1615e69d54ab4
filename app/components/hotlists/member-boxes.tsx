import type { KeyboardEvent, RefObject } from "react";
import { Collapsible, type CollapsibleProps } from "#app/components/ui/collapsible.tsx";
import { Checkbox, checkStateOf } from "#app/components/ui/fields/checkbox.tsx";
import type { UsersOfAgency } from "#app/entities/hotlists/group.ts";

/** The form field name of the member checkboxes. */
export const MEMBER = "member";

export type User = UsersOfAgency["users"][number];

/** The checked state of the boxes of a form. */
export type Choice = {
  form: RefObject<HTMLFormElement>;
  /** Returns whether a user is initially a member. */
  isMember: (id: string) => boolean;
  /** IDs of users whose own agency has not accepted yet. */
  pending: ReadonlySet<string>;
};

export type MemberBoxesProps = Pick<CollapsibleProps, "defaultOpen" | "open"> & {
  choice: Choice;
  agency: string;
  people: readonly User[];
  /** Returns whether a user's box is shown. Hidden boxes are still part of the form. */
  isShown?: (id: string) => boolean;
  /** The number of these people who are chosen now. */
  count: number;
  /** The label of the box for all of these people. */
  allLabel: string;
  aside: string;
};

/** The boxes of an agency's users. The agency can be collapsed and has a box for all of them. */
export function MemberBoxes(props: MemberBoxesProps) {
  const { choice, agency, people, isShown, count, allLabel, aside, ...collapsible } = props;
  const { form, isMember, pending } = choice;

  function setAll(on: boolean) {
    const ids = new Set(people.map(({ id }) => id));
    for (const box of form.current?.querySelectorAll<HTMLInputElement>(`input[name=${MEMBER}]`) ?? [])
      if (ids.has(box.value) && !box.disabled) box.checked = on;
  }

  return (
    <Collapsible
      {...collapsible}
      title={agency}
      lead={
        <Checkbox
          checked={checkStateOf(count, people.length)}
          aria-label={allLabel}
          onCheckedChange={setAll}
        />
      }
      aside={aside}
    >
      {/* Hundreds of people do not push the plates out of reach. */}
      <ul className="grid max-h-128 grid-cols-1 gap-x-4 gap-y-1 overflow-y-auto p-3 sm:grid-cols-2">
        {people.map((person) => {
          const isPending = pending.has(person.id);
          const isChosen = isPending || isMember(person.id);
          return (
            // The key makes a new box when the choice changes: an old box, still checked, would invite the agency again.
            <li key={`${person.id} ${isChosen}`} hidden={isShown && !isShown(person.id)}>
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
}

function hintOf({ email, hotlist }: User, isPending: boolean): string {
  if (isPending) return `${email} · pending: their agency has not accepted yet`;
  return hotlist ? email : `${email} · has no hotlist permission yet`;
}

/** Keeps Enter from saving the group. */
export function keepForm(event: KeyboardEvent): void {
  if (event.key === "Enter") event.preventDefault();
}

import { useState } from "react";
import { InputField } from "#app/components/ui/fields/labeled.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import type { CandidateChoice } from "#app/entities/hotlists/group.ts";
import { counted } from "#app/lib/number-text.ts";
import { type Choice, keepForm, MemberBoxes, type User } from "./member-boxes.tsx";
import { MemberSearch } from "./member-search.tsx";

export type MemberFieldsProps = Omit<Choice, "pending"> & {
  candidates: CandidateChoice;
  /** The members chosen now; undefined until scripts have loaded. */
  chosen: readonly string[] | undefined;
  pending?: ReadonlySet<string>;
};

const NONE: ReadonlySet<string> = new Set();

/** Members by agency. Each agency can be collapsed and has a checkbox for all of its users. */
export function MemberFields({ candidates, chosen, pending = NONE, ...rest }: MemberFieldsProps) {
  const choice = { ...rest, pending };
  return (
    <div className="flex flex-col gap-2">
      {/* Sent even if no box is checked: members that are not sent at all stay. */}
      <input type="hidden" name="group_members" value="" />
      {candidates.search ? (
        <MemberSearch choice={choice} search={candidates.search} chosen={chosen} />
      ) : (
        <MemberList choice={choice} users={candidates.users} chosen={chosen} />
      )}
    </div>
  );
}

/** Maximum number of users without a search field. */
const FEW = 30;
/** Maximum number of users found at once. */
const MAX_FOUND = 100;

/** All users who can become members. */
function MemberList({
  choice,
  users,
  chosen,
}: {
  choice: Choice;
  users: Record<string, User[]>;
  chosen: readonly string[] | undefined;
}) {
  const all = Object.values(users).flat();
  const [wanted, setWanted] = useState("");
  const found = wanted === "" ? undefined : new Set(usersFound(users, wanted).map(({ id }) => id));
  const selected = new Set(chosen ?? all.map(({ id }) => id).filter(choice.isMember));
  return (
    <>
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
          onChange={(event) => setWanted(event.currentTarget.value.trim())}
        />
      )}
      <LiveRegion>{found && `${counted(found.size, "user")} found`}</LiveRegion>
      {found?.size === 0 && <p className="text-muted">No user has this in the name, email or agency.</p>}
      {Object.entries(users).map(([agency, people], index) => {
        const count = people.filter(({ id }) => selected.has(id)).length;
        const isFound = people.some(({ id }) => found?.has(id));
        return (
          <div key={agency} hidden={found && !isFound}>
            <MemberBoxes
              choice={choice}
              agency={agency}
              people={people}
              isShown={found && ((id) => found.has(id))}
              count={count}
              allLabel={`All users of ${agency}`}
              aside={`${count} of ${people.length}`}
              defaultOpen={index === 0}
              open={found ? isFound : undefined}
            />
          </div>
        );
      })}
    </>
  );
}

/** Returns the first users whose name, email or agency contains every word of a text. */
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

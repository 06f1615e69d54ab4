import { Checkbox, checkStateOf } from "#app/components/ui/checkbox.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import type { UsersOfAgency } from "#app/entities/alert-group.ts";

export type MemberFieldsProps = {
  users: Record<string, UsersOfAgency["users"]>;
  selected: ReadonlySet<string>;
  onChange: (selected: Set<string>) => void;
};

/** Members by agency, each agency foldable with a box for all of its users. */
export function MemberFields({ users, selected, onChange }: MemberFieldsProps) {
  function set(ids: string[], on: boolean) {
    const next = new Set(selected);
    for (const id of ids) {
      if (on) next.add(id);
      else next.delete(id);
    }
    onChange(next);
  }
  return (
    <div className="flex flex-col gap-2">
      {Object.entries(users).map(([agency, people], index) => {
        const chosen = people.filter(({ id }) => selected.has(id)).length;
        return (
          <Collapsible
            key={agency}
            title={agency}
            defaultOpen={index === 0}
            lead={
              <Checkbox
                checked={checkStateOf(chosen, people.length)}
                aria-label={`Everybody of ${agency}`}
                onCheckedChange={(on) =>
                  set(
                    people.map(({ id }) => id),
                    on === true,
                  )
                }
              />
            }
            aside={`${chosen} of ${people.length}`}
          >
            <ul className="grid grid-cols-1 gap-x-4 gap-y-1 p-3 sm:grid-cols-2">
              {people.map((person) => (
                <li key={person.id}>
                  <Checkbox
                    checked={selected.has(person.id)}
                    onCheckedChange={(on) => set([person.id], on === true)}
                    label={person.name}
                    hint={person.hotlist ? person.email : `${person.email} · has no hotlist permission yet`}
                  />
                </li>
              ))}
            </ul>
          </Collapsible>
        );
      })}
    </div>
  );
}

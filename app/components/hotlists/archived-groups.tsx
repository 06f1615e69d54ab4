import { Link } from "@remix-run/react";
import { buttonClass } from "#app/components/ui/button.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { ARCHIVED_SHOWN, type ArchivedGroup } from "#app/entities/hotlists/group.ts";

/** Groups that are matched no longer, as the way to what they held and to their hits. */
export function ArchivedGroups({ groups }: { groups: ArchivedGroup[] }) {
  const count = groups.length >= ARCHIVED_SHOWN ? `the last ${ARCHIVED_SHOWN}` : String(groups.length);
  return (
    <Collapsible title="Archived groups" aside={<span className="text-sm text-muted">{count}</span>}>
      <ul className="divide-y divide-line">
        {groups.map((group) => {
          const id = encodeURIComponent(group.id);
          return (
            <li key={group.id} className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-3 py-2">
              <div className="min-w-0 flex-1 basis-64">
                <p className="font-medium wrap-anywhere">{group.name}</p>
                <p className="text-sm text-muted">
                  Archived <LocalTime at={group.archived_at} short />
                  {group.archived_by && ` by ${group.archived_by}`}
                </p>
              </div>
              <div className="flex gap-2">
                <Link to={`/alerts/group/${id}`} className={buttonClass("secondary", "sm")}>
                  View Alerts<span className="sr-only"> of {group.name}</span>
                </Link>
                <Link to={`/groups/${id}`} className={buttonClass("secondary", "sm")}>
                  Details<span className="sr-only"> of {group.name}</span>
                </Link>
              </div>
            </li>
          );
        })}
      </ul>
    </Collapsible>
  );
}

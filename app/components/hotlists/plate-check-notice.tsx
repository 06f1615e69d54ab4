import { Copy, Eye, TriangleAlert } from "lucide-react";
import { type PlateCheck, seenWords } from "#app/entities/hotlist.ts";
import { LocalTime } from "./time.tsx";

/** What is known of a plate before it is added: how often it was seen, and who watches it already. */
export function PlateCheckNotice({ check }: { check: PlateCheck | undefined }) {
  return (
    <div aria-live="polite" className="flex flex-col gap-2 text-sm empty:hidden">
      {check?.wildcard && (
        <p className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          <span>
            <strong>Wildcards stop cars that are not wanted.</strong> {seenWords(check)}
          </span>
        </p>
      )}
      {check && !check.wildcard && (
        <p className="flex items-start gap-2 rounded-md bg-sunken px-3 py-2">
          <Eye aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />
          <span>
            {seenWords(check)}
            {check.newest && (
              <>
                , newest <LocalTime iso={check.newest} />.
              </>
            )}
          </span>
        </p>
      )}
      {check?.duplicates.map((other) => (
        <p
          key={`${other.group_id}|${other.state}`}
          className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn"
        >
          <Copy aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          <span>
            {other.in_this_group ? "Already in this group" : `Also in ${other.group}`}
            {other.state && ` (${other.state})`}: {other.reason || "no reason given"}, added by{" "}
            {other.added_by} <LocalTime iso={other.added_at} day />.
          </span>
        </p>
      ))}
    </div>
  );
}

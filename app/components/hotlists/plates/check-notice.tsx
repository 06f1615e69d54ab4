import { Copy, Eye, TriangleAlert } from "lucide-react";
import { openSearchFor } from "#app/components/search/form/hand-plate.ts";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import type { MatchPolicy } from "#app/entities/hotlists/entry.ts";
import { type PlateCheck, seenPattern, seenWords } from "#app/entities/hotlists/plate-check.ts";

/** What is known of a plate before it is added: how often it was seen, and who watches it already. */
export function PlateCheckNotice({
  check,
  policy,
}: {
  check: PlateCheck | undefined;
  /** The match policy that the reads were counted with. */
  policy: string;
}) {
  return (
    <div aria-live="polite" className="flex flex-col gap-2 text-sm empty:hidden">
      {check?.wildcard && (
        <p className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          <span>
            <strong>Wildcards stop cars that are not wanted.</strong> {seenWords(check)}
            <Newest check={check} policy={policy} />
          </span>
        </p>
      )}
      {check && !check.wildcard && (
        <p className="flex items-start gap-2 rounded-md bg-sunken px-3 py-2">
          <Eye aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />
          <span>
            {seenWords(check)}
            {policy === "lookalike" && ", look-alikes counted"}
            <Newest check={check} policy={policy} />
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
            {other.state && ` (${other.state})`}
            {other.expired && ", expired and not matched"}: {other.reason || "no reason given"}, added by{" "}
            {other.added_by} <LocalTime at={other.added_at} day />.
          </span>
        </p>
      ))}
    </div>
  );
}

/** When the plate was last seen, as the way to the reads themselves. */
function Newest({ check, policy }: { check: PlateCheck; policy: string }) {
  if (!check.newest) return ".";
  const pattern = seenPattern({ plate: check.plate, matchPolicy: policy as MatchPolicy });
  return (
    <>
      , newest{" "}
      <a
        href="/search"
        target="_blank"
        rel="noreferrer"
        className="underline"
        onClick={(event) => {
          event.preventDefault();
          openSearchFor(pattern);
        }}
      >
        <LocalTime at={check.newest} short />
        <span className="sr-only"> (searches for it in a new tab)</span>
      </a>
      .
    </>
  );
}

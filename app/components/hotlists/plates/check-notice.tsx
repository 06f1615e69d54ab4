import { Copy, Eye, TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { openSearchFor } from "#app/components/search/form/hand-plate.ts";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { parseEntryPlate } from "#app/entities/hotlists/entry.ts";
import { type PlateCheck, seenPattern, seenWords } from "#app/entities/hotlists/plate-check.ts";
import type { PlateDraft } from "./fields.tsx";

/** Waits until the plate is typed, because every check is audited. */
const PAUSE_MS = 900;

/** Checks a plate while it is being added. Returns undefined until the answer arrives. */
export function usePlateCheck(input: {
  plate: string;
  draft: Pick<PlateDraft, "state" | "match_policy" | "state_required">;
  groupId: string;
}): PlateCheck | undefined {
  const { plate, groupId } = input;
  const { state, match_policy, state_required } = input.draft;
  const [check, setCheck] = useState<PlateCheck>();
  const wanted = parseEntryPlate(plate, { wildcards: true }).plate ?? "";
  useEffect(() => {
    setCheck(undefined);
    if (wanted.length < 2) return;
    const leave = new AbortController();
    const timer = setTimeout(async () => {
      const answer = await callApi<PlateCheck>("/hotlist/check-plate", {
        json: { plate_number: wanted, state, group_id: groupId, match_policy, state_required },
        signal: leave.signal,
      });
      if (answer.ok && !leave.signal.aborted) setCheck(answer.value);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, [wanted, state, groupId, match_policy, state_required]);
  return check;
}

/** Shows before a plate is added how often it was read, and which groups already watch it. */
export function PlateCheckNotice({
  check,
  policy,
}: {
  check: PlateCheck | undefined;
  /** The match policy used to count the reads. */
  policy: string;
}) {
  return (
    <div aria-live="polite" className="flex flex-col gap-2 text-sm empty:sr-only">
      {check?.wildcard && (
        <p className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          <span>
            <strong>Wildcards also match vehicles that you are not looking for.</strong> {seenWords(check)}
            <Newest check={check} policy={policy} />
          </span>
        </p>
      )}
      {check && !check.wildcard && (
        <p className="flex items-start gap-2 rounded-md bg-sunken px-3 py-2">
          <Eye aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />
          <span>
            {seenWords(check)}
            {policy === "lookalike" && ", including look-alikes"}
            <Newest check={check} policy={policy} />
          </span>
        </p>
      )}
      {check?.duplicates.map((other) => (
        <p
          key={`${other.group_id}|${other.state}`}
          className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 wrap-anywhere text-warn"
        >
          <Copy aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          <span>
            {other.in_this_group ? "Already in this group" : `Also in ${other.group}`}
            {other.state && ` (${other.state})`}
            {other.expired && ", expired and not matched"}: {other.reason || "no reason given"}, added by{" "}
            {other.added_by} <LocalTime at={other.added_at} day />.
            {other.in_this_group && other.expired && " Adding the plate replaces it."}
          </span>
        </p>
      ))}
    </div>
  );
}

/** When the plate was last read, with a link that searches for its reads. */
function Newest({ check, policy }: { check: PlateCheck; policy: string }) {
  if (!check.newest) return ".";
  const pattern = seenPattern({ plate: check.plate, matchPolicy: policy === "lookalike" ? policy : "exact" });
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

import { useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { parseEntryPlate } from "#app/entities/hotlists/entry.ts";
import type { PlateCheck } from "#app/entities/hotlists/plate-check.ts";
import type { PlateDraft } from "./fields.tsx";

/** Long enough that a plate is asked for once it is written, since every look is audited. */
const PAUSE_MS = 900;

/** What is known of a plate while it is being added; undefined while that is not known. */
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

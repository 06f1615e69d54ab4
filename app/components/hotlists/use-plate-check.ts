import { useEffect, useState } from "react";
import { type PlateCheck, parseEntryPlate } from "#app/entities/hotlist.ts";
import { call } from "./call.ts";

/** Long enough that a plate is asked for once it is written, since every look is audited. */
const PAUSE_MS = 900;

/** What is known of a plate while it is being added; undefined while that is not known. */
export function usePlateCheck(input: {
  plate: string;
  state: string;
  groupId: string;
}): PlateCheck | undefined {
  const { plate, state, groupId } = input;
  const [check, setCheck] = useState<PlateCheck>();
  const wanted = parseEntryPlate(plate, { wildcards: true }).plate ?? "";
  useEffect(() => {
    setCheck(undefined);
    if (wanted.length < 2) return;
    const leave = new AbortController();
    const timer = setTimeout(async () => {
      const answer = await call<PlateCheck>("/hotlist/check-plate", {
        json: { plate_number: wanted, state, group_id: groupId },
        signal: leave.signal,
        failed: "",
      });
      if (answer.ok && !leave.signal.aborted) setCheck(answer.value);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, [wanted, state, groupId]);
  return check;
}

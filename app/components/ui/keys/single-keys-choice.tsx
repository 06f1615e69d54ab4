import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { letSingleKeysAct, useSingleKeys } from "./single-keys.ts";

/** Turns single-key shortcuts on or off. Hidden until this browser's choice is known. */
export function SingleKeysChoice() {
  const act = useSingleKeys();
  return (
    <Checkbox
      checked={act ?? true}
      onCheckedChange={letSingleKeysAct}
      className={act === undefined ? "invisible" : ""}
      label="Single-key shortcuts"
      hint="/, ?, j and k act wherever you are on a page. Turned off, j and k still move within a table that has the focus."
    />
  );
}

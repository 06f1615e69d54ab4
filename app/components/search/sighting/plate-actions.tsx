import { Form } from "@remix-run/react";
import { Check, Copy, Search } from "lucide-react";
import type { ReactNode } from "react";
import { Button, type ButtonSize } from "#app/components/ui/button.tsx";
import { useCopy } from "#app/components/ui/copy-button.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";

export type PlateActionsProps = {
  plate: string;
  /** Adds the plate to a hotlist. */
  hotlist: ReactNode;
  /** Shows where the plate was read. */
  track: ReactNode;
};

/**
 * Opens the search form with a plate filled in. The new search needs its own justification. The plate is posted, because
 * URLs end up in browser histories and logs.
 */
export function SearchPlate({
  plate,
  size,
  label = "Search this plate",
  compact = false,
}: {
  plate: string;
  size?: ButtonSize;
  label?: string;
  /** Shows only the icon, for the rows of tables. */
  compact?: boolean;
}) {
  if (plate === "") return null;
  return (
    <Form method="post" action="/search" className="contents">
      <input type="hidden" name={FORM_FIELDS.intent} value="prefill" />
      <input type="hidden" name="plate" value={plate} />
      {compact ? (
        <IconButton type="submit" size="sm" label={`${label}: ${plate}`} icon={<Search />} />
      ) : (
        <Button type="submit" size={size} icon={<Search />}>
          {label}
        </Button>
      )}
    </Form>
  );
}

/** The actions on the plate of a read, side by side. */
export function PlateActions({ plate, hotlist, track }: PlateActionsProps) {
  const { copied, copy } = useCopy();
  if (plate === "") return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: these are buttons, not fields of a form
    <div
      role="group"
      aria-label="Actions for this plate"
      className="flex flex-wrap gap-2 max-sm:grid max-sm:w-full max-sm:grid-cols-[repeat(auto-fit,minmax(10rem,1fr))]"
    >
      <SearchPlate plate={plate} />
      {hotlist}
      {track}
      <Button
        icon={copied ? <Check className="text-ok" /> : <Copy />}
        className="noscript:hidden"
        onClick={() => void copy(plate)}
      >
        Copy
      </Button>
      <LiveRegion>{copied ? `${plate} copied` : ""}</LiveRegion>
    </div>
  );
}

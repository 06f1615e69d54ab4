import { Form } from "@remix-run/react";
import { Search } from "lucide-react";
import { Button, type ButtonSize } from "#app/components/ui/button.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";

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

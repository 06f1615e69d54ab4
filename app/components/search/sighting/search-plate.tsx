import { Form } from "@remix-run/react";
import { Search } from "lucide-react";
import { Button, type ButtonSize } from "#app/components/ui/button.tsx";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";

/**
 * Opens the search form with a plate filled in. The new search needs its own justification. The plate is posted, because
 * URLs end up in browser histories and logs.
 */
export function SearchPlate({ plate, size }: { plate: string; size?: ButtonSize }) {
  if (plate === "") return null;
  return (
    <Form method="post" action="/search" className="contents">
      <input type="hidden" name={FORM_FIELDS.intent} value="prefill" />
      <input type="hidden" name="plate" value={plate} />
      <Button type="submit" size={size} icon={<Search />}>
        Search this plate
      </Button>
    </Form>
  );
}

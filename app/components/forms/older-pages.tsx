import { ChevronRight, ChevronsLeft } from "lucide-react";
import { Button } from "#app/components/ui/button.tsx";

type OlderPagesProps = {
  /** The id of the form that loads pages by its field `after`. */
  form: string;
  isOlder: boolean;
  /** Where the next page starts. */
  next: string | null;
  pending: boolean;
};

/** The buttons between the pages of a list that a form loads, the newest first. */
export function OlderPages({ form, isOlder, next, pending }: OlderPagesProps) {
  if (!isOlder && !next) return null;
  return (
    <nav aria-label="Pages" className="flex items-center gap-2">
      {isOlder && (
        <Button type="submit" form={form} icon={<ChevronsLeft />}>
          Newest
        </Button>
      )}
      {next && (
        <Button type="submit" form={form} name="after" value={next} icon={<ChevronRight />} pending={pending}>
          Older
        </Button>
      )}
    </nav>
  );
}

import { ChevronRight, ChevronsLeft } from "lucide-react";
import { Button } from "#app/components/ui/button.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";

type OlderPagesProps = {
  /** The id of the form that loads pages by its field `after`. */
  form: string;
  isOlder: boolean;
  /** Where the next page starts. */
  next: string | null;
  /** How far back a search that did not fill the page has looked. */
  searchedTo: string | null;
  pending: boolean;
};

/** The buttons between the pages of a list that a form loads, the newest first, and how far back a search has looked. */
export function OlderPages({ form, isOlder, next, searchedTo, pending }: OlderPagesProps) {
  return (
    <>
      {searchedTo && (
        <p className="text-sm text-muted">
          Searched back to <LocalTime at={searchedTo} />. Choose Older to look further.
        </p>
      )}
      {(isOlder || next) && <PageButtons form={form} isOlder={isOlder} next={next} pending={pending} />}
    </>
  );
}

function PageButtons({ form, isOlder, next, pending }: Omit<OlderPagesProps, "searchedTo">) {
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

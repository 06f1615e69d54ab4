import {
  Link,
  useActionData,
  useNavigate,
  useNavigation,
  useRevalidator,
  useSearchParams,
} from "@remix-run/react";
import { ArrowUp, BellRing, ChevronLeft, ChevronRight } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { AlertDialog } from "#app/components/alerts/dialog.tsx";
import { useStored } from "#app/components/alerts/use-stored.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { type AlertPage, FILTER_FIELDS, LIVE_COUNT_MOST } from "#app/entities/alerts/hit.ts";
import type { FormAnswer } from "#app/entities/form-answer.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { AlertFilter } from "./filter.tsx";
import { AlertTable, IMAGE_SIZES, type ImageSize } from "./table.tsx";
import { useNewAlerts } from "./use-new.ts";
import { usePlateFilter } from "./use-plate-filter.ts";

export type AlertHistoryProps = AlertPage & {
  group: { id: string; name: string; archived_at: string | null };
  cameras: { id: string; name: string }[];
};

/** A group's hits, newest first, page by page; what comes meanwhile is told above the table. */
export function AlertHistory({ group, cameras, ...loaded }: AlertHistoryProps) {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const navigation = useNavigation();
  const { revalidate } = useRevalidator();
  const [open, setOpen] = useState<string>();
  const [again, setAgain] = useState(0);
  const { plate, setPlate, found, isLooking } = usePlateFilter({ groupId: group.id, query, again });
  // Without scripts, a filter that names a plate is answered with its page.
  const posted = useActionData<FormAnswer<{ page: AlertPage | null }>>();
  const page = found ?? posted?.result?.page ?? loaded;
  const { latest, older, newer } = page;
  const [alerts, setAlerts] = useState(page.alerts);
  const [images, setImages] = useStored<ImageSize>("odin-alert-images", "large", (text) =>
    IMAGE_SIZES.some(({ value }) => value === text),
  );
  useEffect(() => setAlerts(page.alerts), [page.alerts]);
  const fresh = useNewAlerts({ groupId: group.id, query, plate, latest });
  const isFiltered =
    plate !== "" || posted?.result !== undefined || FILTER_FIELDS.some((name) => query.get(name));
  const at = alerts.findIndex(({ id }) => id === open);
  const busy = navigation.state !== "idle" || isLooking;

  function toNewest() {
    const filter = new URLSearchParams(query);
    filter.delete("older");
    filter.delete("newer");
    if (query.has("older") || query.has("newer")) navigate(`?${filter}`);
    else if (plate) setAgain(again + 1);
    else revalidate();
  }
  function filterBy(filter: URLSearchParams, wanted: string) {
    setPlate(wanted);
    navigate(filter.size > 0 ? `?${filter}` : "?");
  }
  const freshWords = newHitsText(fresh);

  return (
    <div className="mx-auto flex w-full max-w-[112rem] flex-col gap-4 px-4 py-5 sm:px-6">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="me-auto text-xl font-semibold tracking-tight wrap-anywhere">
          Alert History: {group.name}{" "}
          {group.archived_at !== null && <Badge className="align-middle">Archived</Badge>}
        </h1>
        <span className="inline-flex items-center gap-2 text-sm text-muted">
          Images
          <Segmented
            label="Vehicle images"
            options={IMAGE_SIZES}
            value={images}
            onSelect={setImages}
            size="sm"
          />
        </span>
        <Link to={`/groups/${encodeURIComponent(group.id)}`} className={buttonClass()}>
          Group details
        </Link>
      </div>
      <AlertFilter
        query={query}
        plate={plate}
        cameras={cameras}
        busy={busy}
        refused={posted?.ok === false ? posted : undefined}
        onFilter={filterBy}
      />
      <LiveRegion>{freshWords}</LiveRegion>
      <div className="sticky top-[calc(var(--spacing-bar)+0.5rem)] z-2 flex justify-center empty:hidden">
        {fresh > 0 && (
          <Button variant="primary" icon={<ArrowUp />} className="shadow-lg" onClick={toNewest}>
            {freshWords}
          </Button>
        )}
      </div>
      {alerts.length === 0 ? (
        <EmptyState
          icon={<BellRing />}
          title={isFiltered ? "No alert passes the filter." : MESSAGES.noAlertsForGroup}
          actions={
            isFiltered && <Button onClick={() => filterBy(new URLSearchParams(), "")}>Show all</Button>
          }
        >
          {isFiltered
            ? "The alerts are still here."
            : group.archived_at !== null
              ? "The group was archived before anything hit it."
              : "A hit shows up here within seconds of its read."}
        </EmptyState>
      ) : (
        <AlertTable alerts={alerts} images={images} onOpen={setOpen} />
      )}
      {(newer || older) && (
        <nav aria-label="Pages" className="flex gap-2">
          <PageLink to={newer && pageQuery(query, "newer", newer)}>
            <ChevronLeft aria-hidden="true" />
            Newer
          </PageLink>
          <PageLink to={older && pageQuery(query, "older", older)}>
            Older
            <ChevronRight aria-hidden="true" />
          </PageLink>
          {newer && (
            <Button variant="ghost" onClick={toNewest}>
              Newest
            </Button>
          )}
        </nav>
      )}
      {open !== undefined && (
        <AlertDialog
          id={open}
          onClose={() => setOpen(undefined)}
          before={alerts[at - 1]?.id}
          after={at < 0 ? undefined : alerts[at + 1]?.id}
          onMove={setOpen}
          onChange={({ id, disposition }) =>
            setAlerts((before) => before.map((row) => (row.id === id ? { ...row, disposition } : row)))
          }
        />
      )}
    </div>
  );
}

function newHitsText(count: number): string {
  if (count === 0) return "";
  if (count > LIVE_COUNT_MOST) return `More than ${LIVE_COUNT_MOST} new hits`;
  return count === 1 ? "1 new hit" : `${count} new hits`;
}

function pageQuery(query: URLSearchParams, towards: "newer" | "older", key: string): string {
  const next = new URLSearchParams(query);
  next.delete("newer");
  next.delete("older");
  next.set(towards, key);
  return `?${next}`;
}

function PageLink({ to, children }: { to: string | null; children: ReactNode }) {
  if (to === null) return <Button disabled>{children}</Button>;
  return (
    <Link to={to} className={buttonClass()}>
      {children}
    </Link>
  );
}

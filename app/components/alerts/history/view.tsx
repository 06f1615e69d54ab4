import {
  Link,
  useActionData,
  useNavigate,
  useNavigation,
  useRevalidator,
  useSearchParams,
} from "@remix-run/react";
import { ArrowUp, BellRing, ChevronLeft, ChevronRight } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { AlertDialog } from "#app/components/alerts/dialog.tsx";
import { callApi } from "#app/components/forms/api.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import { storedChoice } from "#app/components/ui/fields/stored-choice.ts";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { Page, PageTitle } from "#app/components/ui/page.tsx";
import {
  type AlertCameras,
  type AlertPage,
  type AlertRow,
  FILTER_FIELDS,
  MAX_LIVE_COUNT,
  PAGE_FIELDS,
  type PlatePage,
} from "#app/entities/alerts/hit.ts";
import { FORM_FIELDS, type FormAnswer } from "#app/entities/form-answer.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { counted } from "#app/lib/number-text.ts";
import { AlertFilter } from "./filter.tsx";
import { AlertTable, IMAGE_SIZES } from "./table.tsx";
import { useNewAlerts } from "./use-new-alerts.ts";

const imageSize = storedChoice(
  "odin-alert-images",
  (text) => IMAGE_SIZES.find(({ value }) => value === text)?.value ?? "large",
);

export type AlertHistoryProps = AlertPage & {
  group: { id: string; name: string; archived_at: string | null };
  cameras: AlertCameras;
  zone: string;
};

/** A group's hits, newest first, in pages. New hits are announced above the table. */
export function AlertHistory({ group, cameras, zone, ...loaded }: AlertHistoryProps) {
  const [address] = useSearchParams();
  // Without scripts, the answer to a posted plate filter contains the page, because the URL cannot contain the plate.
  const posted = useActionData<FormAnswer<PlatePage>>();
  const early = posted?.result;
  const query = useMemo(() => (early ? new URLSearchParams(early.query) : address), [early, address]);
  const navigate = useNavigate();
  const navigation = useNavigation();
  const { revalidate } = useRevalidator();
  const [open, setOpen] = useState<string>();
  const [again, setAgain] = useState(0);
  const { plate, setPlate, found, problem, isLooking } = usePlateFilter({
    groupId: group.id,
    query,
    again,
    early: early?.plate ?? "",
  });
  const page = found ?? early?.page ?? loaded;
  const { latest, older, newer } = page;
  const [alerts, setAlerts] = useShownAlerts(page.alerts, open !== undefined);
  const images = imageSize.use();
  const { count: fresh, isRefused } = useNewAlerts({ groupId: group.id, query, plate, latest });
  const isFiltered = plate !== "" || FILTER_FIELDS.some((name) => query.get(name));
  const at = alerts.findIndex(({ id }) => id === open);
  const busy = navigation.state !== "idle" || isLooking;

  function toNewest() {
    if (PAGE_FIELDS.some((name) => query.has(name))) navigate(`?${pageQuery(query)}`);
    else if (plate) setAgain(again + 1);
    else revalidate();
  }
  function filterBy(filter: URLSearchParams, wantedPlate: string) {
    setPlate(wantedPlate);
    navigate(filter.size > 0 ? `?${filter}` : "?");
  }
  const freshWords = newHitsText(fresh);

  if (isRefused) return <Refused group={group} />;
  return (
    <Page width="full">
      <Head group={group} />
      <div className="contents print:hidden">
        <AlertFilter
          query={query}
          plate={plate}
          cameras={cameras}
          zone={zone}
          busy={busy}
          refused={posted?.ok === false ? posted : undefined}
          onFilter={filterBy}
          onClear={() => setPlate("")}
        />
      </div>
      <LiveRegion>{problem ?? freshWords}</LiveRegion>
      <div className="sticky top-[calc(var(--spacing-bar)+0.5rem)] z-2 flex justify-center empty:hidden">
        {fresh > 0 && (
          <Button variant="primary" icon={<ArrowUp />} className="shadow-lg" onClick={toNewest}>
            {freshWords}
          </Button>
        )}
      </div>
      {problem !== undefined ? (
        <NotLoaded problem={problem} isLooking={isLooking} onRetry={() => setAgain(again + 1)} />
      ) : alerts.length === 0 ? (
        <NoAlerts group={group} isFiltered={isFiltered} onShowAll={() => setPlate("")} />
      ) : (
        <AlertTable alerts={alerts} images={images} onOpen={setOpen} />
      )}
      {problem === undefined && (newer || older) && (
        <Pages query={query} plate={plate} newer={newer} older={older} />
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
    </Page>
  );
}

type Group = AlertHistoryProps["group"];

/** Replaces the hits once the user may no longer see them. */
function Refused({ group }: { group: Group }) {
  return (
    <Page width="full">
      <Head group={group} />
      <div role="alert">
        <EmptyState icon={<BellRing />} title="You can no longer see the hits of this group.">
          The group was archived, you left it, or an administrator changed your permissions.
        </EmptyState>
      </div>
    </Page>
  );
}

type NotLoadedProps = { problem: string; isLooking: boolean; onRetry: () => void };

function NotLoaded({ problem, isLooking, onRetry }: NotLoadedProps) {
  return (
    <EmptyState
      icon={<BellRing />}
      title={problem}
      actions={
        <Button pending={isLooking} onClick={onRetry}>
          Try again
        </Button>
      }
    >
      No hits were loaded.
    </EmptyState>
  );
}

function Head({ group }: { group: Group }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <PageTitle className="me-auto">
        Alert History: {group.name}{" "}
        {group.archived_at !== null && <Badge className="align-middle">Archived</Badge>}
      </PageTitle>
      <span className="inline-flex items-center gap-2 text-sm text-muted noscript:hidden print:hidden">
        Images
        <Segmented
          label="Vehicle images"
          options={IMAGE_SIZES}
          value={imageSize.use()}
          onSelect={imageSize.set}
          size="sm"
        />
      </span>
      <Link to={`/groups/${encodeURIComponent(group.id)}`} className={buttonClass()}>
        Group Details
      </Link>
    </div>
  );
}

function NoAlerts(props: { group: Group; isFiltered: boolean; onShowAll: () => void }) {
  const { group, isFiltered, onShowAll } = props;
  return (
    <EmptyState
      icon={<BellRing />}
      title={isFiltered ? "No hits match the filter." : MESSAGES.noAlertsForGroup}
      actions={
        isFiltered && (
          <Link to="?" className={buttonClass()} onClick={onShowAll}>
            Show all
          </Link>
        )
      }
    >
      {isFiltered
        ? "Show all to see every hit of the group."
        : group.archived_at !== null
          ? "The group was archived before it had any hits."
          : "A hit appears here within seconds of its read."}
    </EmptyState>
  );
}

type PagesProps = Pick<AlertPage, "newer" | "older"> & { query: URLSearchParams; plate: string };

function Pages({ query, plate, newer, older }: PagesProps) {
  return (
    <nav aria-label="Pages" className="flex gap-2 print:hidden">
      <PageLink label="Newer" plate={plate} to={newer ? pageQuery(query, { newer }) : null}>
        <ChevronLeft aria-hidden="true" />
        Newer
      </PageLink>
      <PageLink label="Older" plate={plate} to={older ? pageQuery(query, { older }) : null}>
        Older
        <ChevronRight aria-hidden="true" />
      </PageLink>
      {newer && (
        <PageLink label="Newest" plate={plate} to={pageQuery(query)} variant="ghost">
          Newest
        </PageLink>
      )}
    </nav>
  );
}

/**
 * Returns the hits of a page, which can be changed. Another page replaces them, but not while a hit is open: a filter may
 * no longer match it once it is reviewed, and its neighbors must stay reachable.
 */
function useShownAlerts(loaded: AlertRow[], isOpen: boolean) {
  const [alerts, setAlerts] = useState(loaded);
  const shown = useRef(loaded);
  useEffect(() => {
    if (isOpen || shown.current === loaded) return;
    shown.current = loaded;
    setAlerts(loaded);
  }, [loaded, isOpen]);
  return [alerts, setAlerts] as const;
}

function newHitsText(count: number): string {
  if (count === 0) return "";
  if (count > MAX_LIVE_COUNT) return `More than ${MAX_LIVE_COUNT} new hits`;
  return counted(count, "new hit");
}

/** Returns the filter of a query with the position of another page, or of the newest page. */
function pageQuery(
  query: URLSearchParams,
  position: { newer?: string; older?: string } = {},
): URLSearchParams {
  const next = new URLSearchParams(query);
  for (const name of PAGE_FIELDS) next.delete(name);
  for (const [name, key] of Object.entries(position)) next.set(name, key);
  return next;
}

/** Leads to another page: a link or, with a plate filter (never in a URL), a posted form that works without scripts. */
function PageLink(props: {
  label: string;
  plate: string;
  to: URLSearchParams | null;
  variant?: "secondary" | "ghost";
  children: ReactNode;
}) {
  const { label, plate, to, variant = "secondary", children } = props;
  const navigate = useNavigate();
  if (to === null) return <Button disabled>{children}</Button>;
  if (plate === "")
    return (
      <Link to={`?${to}`} className={buttonClass(variant)}>
        {children}
      </Link>
    );
  const fields = [[FORM_FIELDS.intent, "filter"], ["plate", plate], ...to];
  return (
    <form
      method="post"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        navigate(`?${to}`);
      }}
    >
      {fields.map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Button type="submit" variant={variant}>
        {children}
      </Button>
    </form>
  );
}

/**
 * Filters an alert history by plate with a POST request, because a plate must not appear in a URL. `found` is the page,
 * or undefined without a plate filter and while it loads. `problem` says why there is none; the plate stays.
 */
function usePlateFilter(input: {
  groupId: string;
  query: URLSearchParams;
  again: number;
  /** The plate that was submitted before the scripts arrived. */
  early: string;
}) {
  const { groupId, query, again, early } = input;
  const [plate, setPlate] = useState(early);
  const [result, setResult] = useState<{ requestKey: string; page?: AlertPage; problem?: string }>();
  const text = query.toString();
  const requestKey = `${again} ${plate} ${text}`;
  useEffect(() => {
    if (!plate) return setResult(undefined);
    const controller = new AbortController();
    const filter = new URLSearchParams(text);
    filter.set("plate", plate);
    void callApi<AlertPage>(`/alerts/group/${encodeURIComponent(groupId)}/find`, {
      json: { filter: filter.toString() },
      failed: "The hits could not be filtered.",
      signal: controller.signal,
    }).then((answer) => {
      if (controller.signal.aborted) return;
      setResult(answer.ok ? { requestKey, page: answer.value } : { requestKey, problem: answer.message });
    });
    return () => controller.abort();
  }, [plate, text, groupId, requestKey]);
  const isFiltering = plate !== "";
  // Until the first answer, the page that came with the posted filter is shown, with or without scripts.
  const isEarly = result === undefined && again === 0 && plate === early;
  return {
    plate,
    setPlate,
    found: result?.page,
    problem: isFiltering ? result?.problem : undefined,
    isLooking: isFiltering && !isEarly && result?.requestKey !== requestKey,
  };
}

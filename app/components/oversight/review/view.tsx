import { Link } from "@remix-run/react";
import { ClipboardCheck, ScanSearch } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { useLongTask } from "#app/components/forms/long-task.ts";
import { serverTime } from "#app/components/forms/server-time.ts";
import {
  type FilteredPages,
  NotLoaded,
  PageButtons,
  useFilteredPages,
} from "#app/components/oversight/filtered-pages.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { useHotkey } from "#app/components/ui/keys/single-keys.ts";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { Progress } from "#app/components/ui/progress.tsx";
import { ACTIONS_COLUMN, DataTable } from "#app/components/ui/table.tsx";
import {
  NO_REVIEW_FILTER,
  type ReviewCounts,
  type ReviewCursor,
  type ReviewFilter,
  type ReviewPage,
  type ReviewRow,
} from "#app/entities/oversight/review-calls.ts";
import type { DecisionDraft } from "./decision-form.tsx";
import { ReviewFilterBar } from "./filter.tsx";
import { FindingDialog } from "./finding-dialog.tsx";
import { KIND_TONES, kindLabel, openWords, VERDICT_TONES, verdictLabel } from "./looks.ts";

type Examined = { msg: string; next: string | null };

/** The supervisor's review: lists findings, opens them one by one and records decisions. */
export function ReviewView({ agency }: { agency: string }) {
  const [form, review] = useFilteredPages<ReviewFilter, ReviewCursor, ShownRows>({
    url: "/review/rows",
    failed: "The findings could not be loaded.",
    noFilter: NO_REVIEW_FILTER,
  });
  const [openId, setOpenId] = useState<string>();
  const drafts = useRef(new Map<string, DecisionDraft>());
  const scan = useLongTask<Examined>();
  // The filter may change during the scan.
  const latest = useRef(review);
  latest.current = review;
  const rows = review.found?.rows ?? [];
  const place = rows.findIndex(({ id }) => id === openId);
  const step = (to: number) => {
    const id = rows[to]?.id;
    return id === undefined ? undefined : () => setOpenId(id);
  };
  useHotkey("j", () => step(0)?.());

  async function scanToday() {
    const end = await scan.start((before, signal) =>
      callApi("/review/examine", {
        json: { after: before?.next ?? "" },
        failed: "Today's searches could not be scanned.",
        signal,
      }),
    );
    if (!end) return;
    notify.success(end.msg);
    latest.current.again();
  }

  return (
    <Page width="full">
      <PageHead
        title="Review"
        lead={
          <>
            Searches by {agency} that a supervisor should review. Each day is scanned after it ends. No one
            can decide on their own searches, and views of this page are recorded in the audit log.
          </>
        }
      >
        <Link to="/audit-log" className={buttonClass("ghost")}>
          Audit Log
        </Link>
        {scan.running ? (
          <Button onClick={scan.stop}>
            Cancel<span className="sr-only"> the scan</span>
          </Button>
        ) : (
          <Button icon={<ScanSearch />} className="noscript:hidden" onClick={scanToday}>
            Scan today's searches
          </Button>
        )}
        {scan.running && <Progress label="Scanning today's searches" />}
      </PageHead>
      <ReviewFilterBar
        state={form}
        filter={review.filter}
        counts={review.found?.counts}
        onFilter={review.search}
      />
      <Rows review={review} onOpen={setOpenId} />
      <PageButtons pages={review} noun="finding" nouns="findings" />
      {openId !== undefined && (
        <FindingDialog
          id={openId}
          onPrevious={place > 0 ? step(place - 1) : undefined}
          onNext={place >= 0 ? step(place + 1) : undefined}
          drafts={drafts.current}
          onClose={() => {
            setOpenId(undefined);
            review.again();
          }}
        />
      )}
    </Page>
  );
}

function Rows({ review, onOpen }: { review: Review; onOpen: (id: string) => void }) {
  const { found, filter } = review;
  if (review.problem || !found) {
    return <NotLoaded pages={review} nouns="findings" button="Filter" icon={<ClipboardCheck />} />;
  }
  if (found.rows.length === 0) {
    const isOpen = filter.state === "open" && filter.kind === "" && filter.user === "";
    return (
      <EmptyState icon={<ClipboardCheck />} title={isOpen ? "No open findings" : "No findings match"}>
        {isOpen
          ? "Each day is scanned after it ends. You can scan today's searches now."
          : "Choose another state or kind, or clear the searcher."}
      </EmptyState>
    );
  }
  return <FindingTable rows={found.rows} busy={review.loading} onOpen={onOpen} />;
}

/** The layout of a row that is a card. */
const CARD =
  "card:items-center card:grid-cols-[minmax(0,1fr)_auto] card:[grid-template-areas:'kind_state'_'why_why'_'who_act'_'time_count']";

/** Findings with the reason for each. */
function FindingTable({
  rows,
  busy,
  onOpen,
}: {
  rows: readonly ReviewRow[];
  busy: boolean;
  onOpen: (id: string) => void;
}) {
  // Set after mount: around midnight, server and browser may disagree about the day.
  const [now, setNow] = useState<number>();
  useEffect(() => setNow(serverTime()), []);
  return (
    <DataTable
      label="Findings"
      caption="Findings, newest first"
      density="compact"
      aria-busy={busy}
      cardsBelow="wide"
      columns={[
        "Finding",
        "Investigator",
        "Why",
        { title: "Searches", numeric: true },
        "Newest search",
        "State",
        ACTIONS_COLUMN,
      ]}
    >
      {rows.map((row) => (
        <tr key={row.id} className={`relative ${CARD}`}>
          <th scope="row" className="whitespace-nowrap align-top font-normal card:[grid-area:kind]">
            <Badge tone={KIND_TONES[row.kind]}>{kindLabel(row.kind)}</Badge>
          </th>
          <td className="align-top font-medium wrap-anywhere row:max-w-56 card:[grid-area:who]">
            <bdi>{row.user_name || row.username}</bdi>
            {row.user_name && <span className="block text-xs font-normal text-muted">{row.username}</span>}
          </td>
          <td className="align-top wrap-anywhere row:min-w-64 row:max-w-[36rem] card:[grid-area:why]">
            {row.plate && <PlateChip text={row.plate} size="sm" />} {row.reason}
          </td>
          <td data-label="Searches" className="num align-top card:[grid-area:count]">
            {row.searches}
          </td>
          <td className="align-top card:[grid-area:time]">
            <LocalTime at={row.last_at} short />
          </td>
          <td className="whitespace-nowrap align-top card:[grid-area:state]">
            {row.verdict ? (
              <Badge tone={VERDICT_TONES[row.verdict]}>{verdictLabel(row.verdict)}</Badge>
            ) : (
              <span className="text-muted">Open {now !== undefined && openWords(row.created_at, now)}</span>
            )}
          </td>
          <td className="text-end align-top card:[grid-area:act]">
            <button
              type="button"
              // The button covers its row, so that a click anywhere in it opens the finding.
              className={`${buttonClass("secondary", "sm")} !static after:absolute after:inset-0`}
              onClick={() => onOpen(row.id)}
            >
              Review
              <span className="sr-only">
                {" "}
                {kindLabel(row.kind)}, {row.username}
              </span>
            </button>
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

type ShownRows = ReviewPage & { counts: ReviewCounts };

type Review = FilteredPages<ReviewFilter, ShownRows>;

import { Link } from "@remix-run/react";
import { ChevronLeft, ChevronRight, ClipboardCheck, ScanSearch } from "lucide-react";
import { useRef, useState } from "react";
import { type Answer, callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { useHotkey } from "#app/components/ui/keys/use-hotkey.ts";
import { Page } from "#app/components/ui/page.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import type { DecisionDraft } from "./decision-form.tsx";
import { ReviewFilterBar } from "./filter.tsx";
import { FindingDialog } from "./finding-dialog.tsx";
import { FindingTable } from "./finding-table.tsx";
import { type Review, type ShownReview, useReview } from "./use-review.ts";

type Examined = { msg: string; next: string | null };

/** Has the server examine today's searches part by part. Returns the last answer. */
async function examineToday(): Promise<Answer<Examined>> {
  for (let after = ""; ; ) {
    const part = await callApi<Examined>("/review/examine", {
      json: { after },
      failed: "Today's searches could not be looked through.",
    });
    if (!part.ok || part.value.next === null) return part;
    after = part.value.next;
  }
}

/** The supervisor's review: what the job found, listed, opened one by one, decided. */
export function ReviewView({ agency }: { agency: string }) {
  const form = useScreenForm<ShownReview>({ intent: "filter", failed: "The findings could not be loaded." });
  const review = useReview(form.posted?.result);
  const [openId, setOpenId] = useState<string>();
  const drafts = useRef(new Map<string, DecisionDraft>());
  const { mutate, pending } = useMutation({ refresh: "never" });
  const rows = review.found?.rows ?? [];
  const place = rows.findIndex(({ id }) => id === openId);
  const step = (to: number) => {
    const id = rows[to]?.id;
    return id === undefined ? undefined : () => setOpenId(id);
  };
  useHotkey("j", () => step(0)?.());

  function finish({ msg }: Examined) {
    notify.success(msg);
    review.again();
  }

  return (
    <Page width="full">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <h1 className="text-xl font-semibold tracking-tight">Review</h1>
          <p className="mt-0.5 max-w-[75ch] text-sm text-muted">
            Searches of {agency} that a supervisor should look at. Every day is looked through when it is
            over. Nobody decides on their own searches, and what is looked at here is written to the audit
            log.
          </p>
        </div>
        <Link to="/audit-log" className={buttonClass("ghost")}>
          Audit log
        </Link>
        <Button
          icon={<ScanSearch />}
          pending={pending !== undefined}
          pendingLabel="Looking…"
          onClick={() => mutate(examineToday(), { done: finish })}
        >
          Look through today
        </Button>
      </div>
      <ReviewFilterBar
        state={form}
        filter={review.filter}
        counts={review.found?.counts}
        onFilter={review.search}
      />
      <Rows review={review} onOpen={setOpenId} />
      <nav aria-label="Pages" className="flex items-center gap-3 noscript:hidden">
        <Button
          icon={<ChevronLeft />}
          disabled={review.page === 1 || review.loading}
          onClick={review.previous}
        >
          Previous
        </Button>
        <span role="status" className="text-sm text-muted">
          {review.found &&
            !review.loading &&
            `Page ${review.page}, ${rows.length} ${rows.length === 1 ? "finding" : "findings"}`}
        </span>
        <Button
          icon={<ChevronRight />}
          disabled={!review.found?.next || review.loading}
          onClick={review.next}
        >
          Next
        </Button>
      </nav>
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
  if (review.problem) {
    return (
      <EmptyState
        icon={<ClipboardCheck />}
        title={review.problem}
        actions={<Button onClick={review.again}>Try again</Button>}
      >
        Nothing was shown.
      </EmptyState>
    );
  }
  if (!found) {
    return (
      <>
        <Skeleton className="h-96 w-full noscript:hidden" />
        <p className="hidden text-muted noscript:block">Choose Filter to see the findings.</p>
      </>
    );
  }
  if (found.rows.length === 0) {
    const isOpen = filter.state === "open" && filter.kind === "" && filter.user === "";
    return (
      <EmptyState icon={<ClipboardCheck />} title={isOpen ? "Nothing is open" : "No findings fit"}>
        {isOpen
          ? "Each day is looked through once it is over; today can be looked through now."
          : "Choose another state or kind, or clear the searcher."}
      </EmptyState>
    );
  }
  return <FindingTable rows={found.rows} busy={review.loading} onOpen={onOpen} />;
}

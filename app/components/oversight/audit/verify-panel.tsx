import { ShieldAlert, ShieldCheck } from "lucide-react";
import { callApi } from "#app/components/forms/api.ts";
import { useLongTask } from "#app/components/forms/long-task.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Progress } from "#app/components/ui/progress.tsx";
import type { ChainReport } from "#app/entities/oversight/audit-chain.ts";
import { counted, numberText } from "#app/lib/number-text.ts";

/**
 * Verifies the agency's hash chain part by part and reports changed or missing rows. The result takes a line of its own
 * below the toolbar.
 */
export function VerifyPanel({ agency }: { agency: string }) {
  const { last: report, running, start, stop } = useLongTask<ChainReport>();
  const verify = () =>
    start((before, signal) =>
      callApi("/audit-log/verify", {
        json: { agency, after: before?.next ?? 0 },
        failed: "The log could not be verified.",
        signal,
      }),
    );
  return (
    <>
      {running ? (
        <Button onClick={stop}>Stop</Button>
      ) : (
        <Button icon={<ShieldCheck />} className="noscript:hidden" onClick={verify}>
          Verify
        </Button>
      )}
      {running && (
        <Progress
          label="Entries verified"
          value={report?.checked ?? 0}
          max={Math.max(1, report?.total ?? 1)}
        />
      )}
      <div role="status" className="order-last basis-full empty:-mt-2">
        {report && !running && <Verdict report={report} />}
      </div>
    </>
  );
}

function Verdict({ report }: { report: ChainReport }) {
  const { problem, checked, total, next, waiting, head } = report;
  if (problem) {
    return (
      <span className="flex items-start gap-1.5 text-sm font-medium text-hit">
        <ShieldAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        Entry {problem.seq} failed verification. {problem.problem}
      </span>
    );
  }
  if (next !== null) {
    return (
      <span className="text-sm text-muted">
        Stopped after {numberText(checked)} of {counted(total, "entry", "entries")}; none of those verified is
        missing or altered.
      </span>
    );
  }
  if (total === 0) {
    return (
      <span className="text-sm text-muted">
        No entries can be verified yet. New entries can be verified within a minute.
      </span>
    );
  }
  return (
    <span className="flex items-start gap-1.5 text-sm text-ok">
      <ShieldCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span>
        {counted(checked, "entry", "entries")} verified; none missing or altered.
        {waiting > 0 && ` ${counted(waiting, "entry", "entries")} newer than a minute can be verified soon.`}{" "}
        <span className="text-muted">
          Last hash: <code className="font-mono text-xs">{head.slice(0, 16)}</code>
        </span>
      </span>
    </span>
  );
}

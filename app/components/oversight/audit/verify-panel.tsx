import { ShieldAlert, ShieldCheck } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { callApi, notifyFailure } from "#app/components/forms/api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Progress } from "#app/components/ui/progress.tsx";
import type { ChainReport } from "#app/entities/oversight/audit-chain.ts";

type Run = { report: ChainReport | undefined; running: boolean };

/**
 * Verifies the agency's hash chain part by part and reports changed or missing rows. The result takes a line of its own
 * below the toolbar.
 */
export function VerifyPanel({ agency }: { agency: string }) {
  const [run, setRun] = useState<Run>();
  const stopped = useRef(false);
  const leave = useRef<AbortController>();
  useEffect(() => () => leave.current?.abort(), []);

  async function verify() {
    stopped.current = false;
    leave.current = new AbortController();
    const { signal } = leave.current;
    setRun({ report: undefined, running: true });
    for (let after = 0; ; ) {
      const answer = await callApi<ChainReport>("/audit-log/verify", {
        json: { agency, after },
        failed: "The log could not be verified.",
        signal,
      });
      if (signal.aborted) return;
      if (!answer.ok) {
        setRun(undefined);
        notifyFailure(answer);
        return;
      }
      const report = answer.value;
      const running = report.next !== null && !stopped.current;
      setRun({ report, running });
      if (report.next === null || !running) return;
      after = report.next;
    }
  }

  const report = run?.report;
  return (
    <>
      {run?.running ? (
        <Button onClick={() => (stopped.current = true)}>Stop</Button>
      ) : (
        <Button icon={<ShieldCheck />} onClick={verify}>
          Verify
        </Button>
      )}
      {run?.running && (
        <Progress
          label="Entries verified"
          value={report?.checked ?? 0}
          max={Math.max(1, report?.total ?? 1)}
        />
      )}
      <div role="status" className="order-last basis-full empty:-mt-2">
        {report && !run.running && <Verdict report={report} />}
      </div>
    </>
  );
}

function entries(count: number): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? "entry" : "entries"}`;
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
        Stopped after {checked.toLocaleString("en-US")} of {entries(total)}; none of those verified is missing
        or altered.
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
        {entries(checked)} verified; none missing or altered.
        {waiting > 0 && ` ${entries(waiting)} newer than a minute can be verified soon.`}{" "}
        <span className="text-muted">
          Last hash: <code className="font-mono text-xs">{head.slice(0, 16)}</code>
        </span>
      </span>
    </span>
  );
}

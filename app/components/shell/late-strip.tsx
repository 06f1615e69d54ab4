import { Link } from "@remix-run/react";
import { TriangleAlert } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import type { LateJob, Misconfigured } from "#app/entities/operations/health.ts";
import { MINUTE } from "#app/lib/time/dates.ts";

const ASK_EVERY_MS = 2 * MINUTE;

/** Maximum number of late jobs that are named. After an outage all are late, and would fill the screen of a phone. */
const MAX_SHOWN = 2;

type Health = { late: LateJob[]; misconfigured: Misconfigured[]; storage: string[] };

const WELL: Health = { late: [], misconfigured: [], storage: [] };

/** Shows administrators which scheduled jobs are late, which settings are invalid, and that space runs short. */
export function LateStrip() {
  const [{ late, misconfigured, storage }, setHealth] = useState<Health>(WELL);
  useEffect(() => {
    const check = async () => {
      if (document.visibilityState !== "visible") return;
      const answer = await callApi<Health>("/health-data", { background: true });
      if (answer.ok) setHealth(answer.value);
    };
    void check();
    const timer = setInterval(check, ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const more = late.length - MAX_SHOWN;
  return (
    <div role="status">
      {late.length > 0 && (
        <Strip title={late.length === 1 ? "A scheduled job is late" : "Scheduled jobs are late"}>
          {late.slice(0, MAX_SHOWN).map(({ job, label, last_ok_at }) => (
            <span key={job}>
              {label}
              {last_ok_at === null ? (
                ", has not completed yet"
              ) : (
                <>
                  , last completed <LocalTime at={last_ok_at} />
                </>
              )}
            </span>
          ))}
          {more > 0 && (
            <Link to="/system-health" className="underline">
              {more} more
            </Link>
          )}
        </Strip>
      )}
      {misconfigured.length > 0 && (
        <Strip title="Configuration problem">
          {misconfigured.map(({ setting, problem }) => (
            <span key={setting}>{problem}</span>
          ))}
        </Strip>
      )}
      {storage.length > 0 && (
        <Strip title="Read storage">
          {storage.map((alarm) => (
            <span key={alarm}>{alarm}</span>
          ))}
        </Strip>
      )}
    </div>
  );
}

function Strip({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line bg-warn-soft px-4 py-1.5 text-sm">
      <span className="flex items-center gap-2 font-medium">
        <TriangleAlert aria-hidden="true" className="size-4 text-warn" />
        {title}
      </span>
      {children}
    </div>
  );
}

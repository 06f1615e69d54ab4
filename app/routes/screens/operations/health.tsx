import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { CircleCheck, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Page, PageTitle } from "#app/components/ui/page.tsx";
import { healthData } from "#app/domain/operations/health.ts";
import { WATCHED_JOB_NAMES } from "#app/entities/operations/health.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "System Health · Odin" }];

export const loader = screenLoader("admin", ({ app }) => healthData(app));

export default function HealthScreen() {
  const { late, misconfigured, storage } = useLoaderData<typeof loader>();
  return (
    <Page width="3xl" loose>
      <PageTitle>System Health</PageTitle>
      <Findings
        title="Scheduled jobs"
        good={`All ${WATCHED_JOB_NAMES.length} scheduled jobs are on time.`}
        findings={late.map(({ job, label, last_ok_at }) => (
          <li key={job}>
            {label}:{" "}
            {last_ok_at === null ? (
              "has not completed yet"
            ) : (
              <>
                late, last completed <LocalTime at={last_ok_at} />
              </>
            )}
          </li>
        ))}
      />
      <Findings
        title="Settings"
        good="All settings are valid."
        findings={misconfigured.map(({ setting, problem }) => <li key={setting}>{problem}</li>)}
      />
      <Findings
        title="Read storage"
        good="There is enough space for reads."
        findings={storage.map((alarm) => <li key={alarm}>{alarm}</li>)}
      />
      <p className="text-sm text-muted">
        Uptime probes read the same state at <code className="font-mono">/health</code>.
      </p>
    </Page>
  );
}

function Findings({ title, good, findings }: { title: string; good: string; findings: ReactNode[] }) {
  const isGood = findings.length === 0;
  const Icon = isGood ? CircleCheck : TriangleAlert;
  return (
    <section aria-label={title} className="flex flex-col gap-1">
      <h2 className="text-lg font-semibold">{title}</h2>
      <div className="flex items-start gap-2">
        <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${isGood ? "text-ok" : "text-warn"}`} />
        {isGood ? <p>{good}</p> : <ul className="flex flex-col gap-1">{findings}</ul>}
      </div>
    </section>
  );
}

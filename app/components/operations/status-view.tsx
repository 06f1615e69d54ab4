import { CircleCheck, TriangleAlert } from "lucide-react";
import { Badge } from "#app/components/ui/badge.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import type {
  AuditState,
  BackupState,
  CronState,
  DatabaseState,
  PushState,
  QueueState,
  StatusReport,
  VendorState,
} from "#app/entities/operations/status.ts";
import { AUDIT_ONLINE_DAYS } from "#app/entities/oversight/audit-segment.ts";
import { numberText } from "#app/lib/number-text.ts";
import { Fact, Facts, Part, percentOf, When } from "./status-parts.tsx";

/** The state of the installation on one page, for its owner. Works without scripts: reloading shows the current state. */
export function StatusView({ report }: { report: StatusReport }) {
  const { at, build, problems, databases, queues, failed, crons, vendors, storage, audit, backup, push } =
    report;
  return (
    <Page width="7xl" loose>
      <PageHead
        title="Status"
        lead={
          <>
            Odin {build.version || "of unknown version"}, commit{" "}
            <code className="font-mono text-text">{build.commit || "unknown"}</code>. As of{" "}
            <LocalTime at={at} />. Reload to update.
          </>
        }
      />
      <Problems problems={problems} />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <Part title="Databases" link={{ to: "/storage", label: "Storage" }}>
          <p className="text-sm">
            Reads use {percentOf(storage.fill)} of the space of {storage.databases} databases.
          </p>
          <Databases databases={databases} />
        </Part>
        <Part title="Queues" link={{ to: "/dead-jobs", label: "Failed Jobs" }}>
          <p className="text-sm">
            Failed jobs: {numberText(failed.jobs)}
            {failed.oldest_job !== null && (
              <>
                , the oldest from <LocalTime at={failed.oldest_job} short />
              </>
            )}
            . Failed pushes: {numberText(failed.sends)}. Failed messages to outgoing webhooks:{" "}
            {numberText(failed.webhooks)}.
          </p>
          <Queues queues={queues} />
        </Part>
        <Part title="Vendors">
          <Vendors vendors={vendors} />
        </Part>
        <Part title="Push">
          <Push push={push} />
        </Part>
        <Part title="Audit log" link={{ to: "/audit-log", label: "Audit Log" }}>
          <Audit audit={audit} />
        </Part>
        <Part title="Backups" link={{ to: "/backups", label: "Backups" }}>
          <Backups backup={backup} />
        </Part>
      </div>
      <Part title="Scheduled jobs" link={{ to: "/system-health", label: "System Health" }}>
        <Crons crons={crons} />
      </Part>
    </Page>
  );
}

function Problems({ problems }: { problems: string[] }) {
  const isWell = problems.length === 0;
  const Icon = isWell ? CircleCheck : TriangleAlert;
  return (
    <section
      aria-label="Needs attention"
      className={`flex items-start gap-2 rounded-md border p-3 text-sm ${isWell ? "border-line" : "border-warn bg-warn-soft"}`}
    >
      <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${isWell ? "text-ok" : "text-warn"}`} />
      {isWell ? (
        <p>Nothing needs attention.</p>
      ) : (
        <ul className="flex flex-col gap-1">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Databases({ databases }: { databases: DatabaseState[] }) {
  return (
    <DataTable
      caption="Migrations of each database"
      density="compact"
      columns={["Database", { title: "Applied", numeric: true }, "State"]}
    >
      {databases.map(({ name, migrations }) => (
        <tr key={name}>
          <th scope="row" className="font-mono font-medium">
            {name}
          </th>
          <td className="num">{migrations?.applied ?? ""}</td>
          <td>
            {!migrations && <Badge tone="hit">Does not answer</Badge>}
            {migrations && migrations.pending.length > 0 && (
              <Badge tone="hit">Pending: {migrations.pending.join(", ")}</Badge>
            )}
            {migrations && migrations.newer.length > 0 && (
              <Badge tone="warn">Newer than this build: {migrations.newer.join(", ")}</Badge>
            )}
            {migrations && migrations.pending.length + migrations.newer.length === 0 && (
              <Badge tone="ok">Up to date</Badge>
            )}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function Queues({ queues }: { queues: QueueState[] }) {
  return (
    <DataTable
      caption="Work in queues"
      density="compact"
      columns={["Work and queue", { title: "Waiting", numeric: true }, "Oldest"]}
    >
      {queues.map(({ queue, what, waiting, oldest }) => (
        <tr key={what}>
          <th scope="row" className="font-medium">
            {what} <span className="block font-mono text-xs font-normal text-muted">{queue}</span>
          </th>
          <td className="num">{numberText(waiting)}</td>
          <td>
            <When at={oldest} none="none" />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function Vendors({ vendors }: { vendors: VendorState[] }) {
  return (
    <DataTable
      caption="Programs over all agencies"
      cardsBelow="narrow"
      density="compact"
      columns={[
        "Program",
        { title: "Connections", numeric: true },
        { title: "Paused", numeric: true },
        "Last success",
        "Last failure",
      ]}
    >
      {vendors.map(({ program, connections, paused, last_ok_at, last_failure_at }) => (
        <tr key={program} className="card:grid-cols-2">
          <th scope="row" className="font-medium card:col-span-2">
            {program}
          </th>
          <td data-label="Connections" className="num">
            {numberText(connections)}
          </td>
          <td data-label="Paused" className="num">
            {numberText(paused)}
          </td>
          <td data-label="Last success" className="card:col-span-2">
            <When at={last_ok_at} />
          </td>
          <td data-label="Last failure" className="card:col-span-2">
            <When at={last_failure_at} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

const CHANNELS = { apns: "iPhones (Apple)", webpush: "Browsers" };

function Push({ push }: { push: PushState[] }) {
  return (
    <DataTable
      caption="Push channels"
      cardsBelow="narrow"
      density="compact"
      columns={[
        "Channel",
        "Settings",
        { title: "Devices", numeric: true },
        { title: "Waiting", numeric: true },
        "Last success",
      ]}
    >
      {push.map(({ channel, configured, devices, waiting, last_ok_at }) => (
        <tr key={channel} className="card:grid-cols-2">
          <th scope="row" className="font-medium">
            {CHANNELS[channel]}
          </th>
          <td>
            <Badge tone={configured ? "ok" : "neutral"}>{configured ? "Configured" : "Off"}</Badge>
          </td>
          <td data-label="Devices" className="num">
            {numberText(devices)}
          </td>
          <td data-label="Waiting" className="num">
            {numberText(waiting)}
          </td>
          <td data-label="Last success" className="card:col-span-2">
            <When at={last_ok_at} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function Audit({ audit }: { audit: AuditState }) {
  const { sealed_seq, sealed_at, waiting, anchored_at, verified_at, checked, intact, checked_since } = audit;
  return (
    <Facts>
      <Fact name="Last sealed">
        Entry {numberText(sealed_seq)}, <When at={sealed_at} />
      </Fact>
      <Fact name="Entries not sealed">{numberText(waiting)}</Fact>
      <Fact name="Heads stored">
        <When at={anchored_at} />
      </Fact>
      <Fact name="Verified manually">
        <When at={verified_at} none={`not within the last ${AUDIT_ONLINE_DAYS} days or 20,000 entries`} />
      </Fact>
      <Fact name="Verified daily">
        {checked === 0 ? (
          "No log yet: only those of agencies that publish their statistics are verified automatically."
        ) : (
          <>
            {numberText(intact)} of {numberText(checked)} logs intact, all since <When at={checked_since} />
          </>
        )}
      </Fact>
    </Facts>
  );
}

function Backups({ backup }: { backup: BackupState }) {
  const { newest, late, verified_at, verified_ok, restored_at } = backup;
  return (
    <Facts>
      <Fact name="Newest">
        <When at={newest} /> {newest !== null && late && <Badge tone="hit">Too old</Badge>}
      </Fact>
      <Fact name="Verified">
        <When
          at={verified_at}
          none={`not within the last ${AUDIT_ONLINE_DAYS} days or 20,000 entries of the audit log`}
        />{" "}
        {verified_at !== null && !verified_ok && <Badge tone="hit">Failed</Badge>}
      </Fact>
      <Fact name="Restored here">
        <When at={restored_at} />
      </Fact>
      <Fact name="Restore test">
        <code className="font-mono">npm run drill</code> restores a backup into an empty installation and
        compares every row.
      </Fact>
    </Facts>
  );
}

function Crons({ crons }: { crons: CronState[] }) {
  return (
    <DataTable
      caption="Runs of the scheduled jobs"
      cardsBelow="narrow"
      density="compact"
      columns={["Job", "State", "Last success", "Last failure", "Next run"]}
    >
      {crons.map(({ job, label, last_ok_at, last_failure_at, next_at, late }) => (
        <tr key={job} className="card:grid-cols-2">
          <th scope="row" className="font-medium">
            {label}
          </th>
          <td>
            <Badge tone={late ? "hit" : last_ok_at === null ? "neutral" : "ok"}>
              {late ? "Late" : last_ok_at === null ? "Has not run yet" : "On time"}
            </Badge>
          </td>
          <td data-label="Last success" className="card:col-span-2">
            <When at={last_ok_at} />
          </td>
          <td data-label="Last failure" className="card:col-span-2">
            <When at={last_failure_at} />
          </td>
          <td data-label="Next run" className="card:col-span-2">
            <LocalTime at={next_at} short />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

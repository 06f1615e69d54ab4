import { Link } from "@remix-run/react";
import { Gauge } from "lucide-react";
import { type ListQuery, pageAddress } from "#app/components/forms/find-form.tsx";
import { PageLinks } from "#app/components/forms/page-links.tsx";
import { useStanding } from "#app/components/shell/use-standing.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import { mayUse } from "#app/entities/accounts/access.ts";
import { DISPOSITIONS, type HitQuality, QUALITY_DAYS, shareCorrect } from "#app/entities/alerts/hit.ts";
import { counted, numberText } from "#app/lib/number-text.ts";
import type { NumberedPage } from "#app/lib/pages.ts";

/** Returns the share of correct hits, such as `93% of 41 checked`, or `None checked yet`. */
function shareText(quality: HitQuality): string {
  const share = shareCorrect(quality);
  if (share === null) return "None checked yet";
  const { correct, misread, "wrong-state": wrong } = quality.counts;
  return `${Math.round(share * 100)}% of ${numberText(correct + misread + wrong)} checked`;
}

type HitQualityTableProps = {
  title: string;
  firstColumn: string;
  rows: HitQuality[];
  to?: (id: string) => string;
};

/** Hits by disposition, one row per camera or group. */
function HitQualityTable({ title, firstColumn, rows, to }: HitQualityTableProps) {
  return (
    <DataTable
      label={title}
      boxClass="max-h-[70dvh]"
      caption={title}
      density="compact"
      cardsBelow="medium"
      columns={[
        firstColumn,
        { title: "Hits", numeric: true },
        ...DISPOSITIONS.map(({ label }) => ({ title: label, numeric: true })),
        { title: "Not reviewed", numeric: true },
        { title: "Accuracy", numeric: true },
      ]}
    >
      {rows.map((row) => {
        const decided = DISPOSITIONS.reduce((sum, { value }) => sum + row.counts[value], 0);
        return (
          <tr key={row.id} className="card:grid-cols-2">
            <td className="max-w-80 min-w-36 wrap-anywhere card:col-span-2 card:font-medium">
              {to ? (
                <Link to={to(row.id)} className="inline-flex min-h-target items-center underline">
                  {row.name}
                </Link>
              ) : (
                row.name
              )}
            </td>
            <td data-label="Hits" className="num">
              {numberText(row.hits)}
            </td>
            {DISPOSITIONS.map(({ value, label }) => (
              <td key={value} data-label={label} className="num">
                {numberText(row.counts[value])}
              </td>
            ))}
            <td data-label="Not reviewed" className="num">
              {numberText(row.hits - decided)}
            </td>
            <td data-label="Accuracy" className="num whitespace-nowrap card:col-span-2">
              {shareText(row)}
            </td>
          </tr>
        );
      })}
    </DataTable>
  );
}

export type HitQualityViewProps = {
  groups: NumberedPage<HitQuality>;
  cameras: NumberedPage<HitQuality>;
  query: ListQuery;
};

/** The name of the page of groups in the screen's query. */
export const GROUPS = "groups";

/** Shows administrators which cameras misread plates and which groups are out of date. */
export function HitQualityView({ groups, cameras, query }: HitQualityViewProps) {
  return (
    <Page width="7xl" loose>
      <PageHead
        title="Hit Quality"
        lead={
          <>
            Reviewed hits of the last {QUALITY_DAYS} days. Accuracy is the share of hits marked correct among
            those marked correct, wrong state or misread. Dismissed hits do not count.
          </>
        }
      />
      {groups.found === 0 ? (
        <EmptyState icon={<Gauge />} title="No hits yet">
          Statistics appear here once your groups have hits.
        </EmptyState>
      ) : (
        <>
          <section aria-labelledby="by-camera" className="flex min-w-0 flex-col gap-2">
            <h2 id="by-camera" className="text-lg font-semibold">
              By camera
            </h2>
            {cameras.pages > 1 && (
              <p className="text-sm text-muted">{counted(cameras.found, "camera")}, most hits first.</p>
            )}
            <HitQualityTable title="Hit quality by camera" firstColumn="Camera" rows={cameras.rows} />
            <PageLinks
              page={cameras.page}
              pages={cameras.pages}
              label="Pages of cameras"
              to={(page) => pageAddress(page, query)}
              preventScrollReset
            />
          </section>
          <section aria-labelledby="by-group" className="flex min-w-0 flex-col gap-2">
            <h2 id="by-group" className="text-lg font-semibold">
              By group
            </h2>
            {groups.pages > 1 && (
              <p className="text-sm text-muted">{counted(groups.found, "group")}, most hits first.</p>
            )}
            <HitQualityTable
              title="Hit quality by group"
              firstColumn="Group"
              rows={groups.rows}
              to={(id) => `/alerts/group/${encodeURIComponent(id)}`}
            />
            <PageLinks
              page={groups.page}
              pages={groups.pages}
              label="Pages of groups"
              to={(page) => pageAddress(page, query, GROUPS)}
              preventScrollReset
            />
          </section>
        </>
      )}
    </Page>
  );
}

/** Counts of a group's hits by disposition, for the group details screen. */
export function GroupQuality({ quality }: { quality: HitQuality }) {
  const standing = useStanding();
  return (
    <section aria-labelledby="quality" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-baseline gap-3">
        <h2 id="quality" className="text-lg font-semibold">
          Hit Quality
        </h2>
        <span className="text-sm text-muted">the last {QUALITY_DAYS} days</span>
        {mayUse("admin", standing) && (
          <Link to="/alerts/quality" className="text-sm underline">
            By camera
          </Link>
        )}
      </div>
      {quality.hits === 0 ? (
        <p className="text-muted">No hits yet.</p>
      ) : (
        <dl className="flex flex-wrap gap-x-6 gap-y-2">
          <Statistic name="Hits" value={numberText(quality.hits)} />
          {DISPOSITIONS.map(({ value, label }) => (
            <Statistic key={value} name={label} value={numberText(quality.counts[value])} />
          ))}
          <Statistic name="Accuracy" value={shareText(quality)} />
        </dl>
      )}
    </section>
  );
}

function Statistic({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="font-semibold tabular-nums">{value}</dd>
    </div>
  );
}

import { Link } from "@remix-run/react";
import { Gauge } from "lucide-react";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Page } from "#app/components/ui/page.tsx";
import { ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import { DISPOSITIONS, type HitQuality, QUALITY_DAYS, shareCorrect } from "#app/entities/alerts/hit.ts";

const number = (value: number) => value.toLocaleString("en-US");

/** `93 % of 41 checked`, or that nobody has checked any. */
export function shareText(quality: HitQuality): string {
  const share = shareCorrect(quality);
  if (share === null) return "None checked yet";
  const { correct, misread, "wrong-state": wrong } = quality.counts;
  return `${Math.round(share * 100)} % of ${number(correct + misread + wrong)} checked`;
}

type HitQualityTableProps = {
  title: string;
  first: string;
  figures: HitQuality[];
  to?: (id: string) => string;
};

/** Hits by what people found on looking twice, a row a camera or group. */
function HitQualityTable({ title, first, figures, to }: HitQualityTableProps) {
  return (
    <TableBox label={title} className="max-h-[70dvh]">
      <Table caption={title} density="compact">
        <thead>
          <tr>
            <ColumnHeader>{first}</ColumnHeader>
            <ColumnHeader numeric>Hits</ColumnHeader>
            {DISPOSITIONS.map(({ value, label }) => (
              <ColumnHeader key={value} numeric>
                {label}
              </ColumnHeader>
            ))}
            <ColumnHeader numeric>None yet</ColumnHeader>
            <ColumnHeader numeric>Share correct</ColumnHeader>
          </tr>
        </thead>
        <tbody>
          {figures.map((figure) => {
            const decided = DISPOSITIONS.reduce((sum, { value }) => sum + figure.counts[value], 0);
            return (
              <tr key={figure.id}>
                <td className="max-w-80 wrap-anywhere">
                  {to ? (
                    <Link to={to(figure.id)} className="inline-flex min-h-target items-center underline">
                      {figure.name}
                    </Link>
                  ) : (
                    figure.name
                  )}
                </td>
                <td className="num">{number(figure.hits)}</td>
                {DISPOSITIONS.map(({ value }) => (
                  <td key={value} className="num">
                    {number(figure.counts[value])}
                  </td>
                ))}
                <td className="num">{number(figure.hits - decided)}</td>
                <td className="num whitespace-nowrap">{shareText(figure)}</td>
              </tr>
            );
          })}
        </tbody>
      </Table>
    </TableBox>
  );
}

export type HitQualityViewProps = { groups: HitQuality[]; cameras: HitQuality[] };

/** Which cameras misread and which lists are out of date: for administrators. */
export function HitQualityView({ groups, cameras }: HitQualityViewProps) {
  return (
    <Page width="7xl" loose>
      <div>
        <h1 className="text-xl font-semibold tracking-tight">Hit Quality</h1>
        <p className="text-muted">
          What people found on looking twice, over the last {QUALITY_DAYS} days. The share is of hits that
          were marked correct, wrong state or misread; dismissed ones count neither way.
        </p>
      </div>
      {groups.length === 0 ? (
        <EmptyState icon={<Gauge />} title="No hits yet">
          Once your groups have hits, their figures stand here.
        </EmptyState>
      ) : (
        <>
          <section aria-labelledby="by-camera" className="flex min-w-0 flex-col gap-2">
            <h2 id="by-camera" className="text-lg font-semibold">
              By camera
            </h2>
            <HitQualityTable title="Hit quality by camera" first="Camera" figures={cameras} />
          </section>
          <section aria-labelledby="by-group" className="flex min-w-0 flex-col gap-2">
            <h2 id="by-group" className="text-lg font-semibold">
              By group
            </h2>
            <HitQualityTable
              title="Hit quality by group"
              first="Group"
              figures={groups}
              to={(id) => `/alerts/group/${encodeURIComponent(id)}`}
            />
          </section>
        </>
      )}
    </Page>
  );
}

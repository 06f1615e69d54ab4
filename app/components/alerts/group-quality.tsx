import { Link } from "@remix-run/react";
import { useStanding } from "#app/components/shell/use-standing.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import { DISPOSITIONS, type HitQuality, QUALITY_DAYS } from "#app/entities/alerts/hit.ts";
import { shareText } from "./hit-quality.tsx";

/** A group's hits and what became of them, on its details. */
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
          <Figure name="Hits" value={quality.hits.toLocaleString("en-US")} />
          {DISPOSITIONS.map(({ value, label }) => (
            <Figure key={value} name={label} value={quality.counts[value].toLocaleString("en-US")} />
          ))}
          <Figure name="Share correct" value={shareText(quality)} />
        </dl>
      )}
    </section>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="font-semibold tabular-nums">{value}</dd>
    </div>
  );
}

import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { type Alert, MATCH_WORDS, VERIFY_FIRST } from "#app/entities/alerts/hit.ts";
import { AlertImage } from "./image.tsx";
import { imageAlt, orMissing } from "./words.ts";

/** The first thing that is seen of a hit: the read beside the entry, and what does not fit. */
export function AlertComparison({ alert }: { alert: Alert }) {
  return (
    <section
      aria-labelledby="verify"
      className="flex flex-col gap-3 rounded-md border border-warn bg-warn-soft px-4 py-3"
    >
      <h3 id="verify" className="flex items-center gap-2 text-lg font-semibold text-warn">
        <TriangleAlert aria-hidden="true" className="size-5 shrink-0" />
        {VERIFY_FIRST}
      </h3>
      <div className="grid gap-x-6 gap-y-3 sm:grid-cols-3">
        <Side label="Read image">
          <AlertImage
            url={alert.plate_image_url}
            alt={imageAlt("plate", alert)}
            missing="Plate image unavailable"
            whole
            className="h-16 w-full max-w-56"
          />
        </Side>
        <Side label="Read as">
          <Plate text={alert.plate} region={alert.state} />
          {alert.confidence !== null && (
            <span className="text-sm text-muted">Confidence {alert.confidence} %</span>
          )}
        </Side>
        <Side label="Listed as">
          <Plate text={alert.listed_plate} region={alert.listed_state} />
          <span className="text-sm text-muted">{MATCH_WORDS[alert.match_kind]}</span>
        </Side>
      </div>
      {alert.differences.length > 0 ? (
        <ul aria-label="Differences" className="flex list-disc flex-col gap-0.5 ps-5 font-medium">
          {alert.differences.map((difference) => (
            <li key={difference} className="wrap-anywhere">
              {difference}
            </li>
          ))}
        </ul>
      ) : (
        <p>Nothing that was read differs from the entry.</p>
      )}
    </section>
  );
}

function Side({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span className="text-xs font-medium text-muted">{label}</span>
      {children}
    </div>
  );
}

function Plate({ text, region }: { text: string; region: string }) {
  if (text === "") return <span className="text-xl text-muted">{orMissing("")}</span>;
  return <PlateChip text={text} region={region || undefined} size="lg" copyable className="max-w-full" />;
}

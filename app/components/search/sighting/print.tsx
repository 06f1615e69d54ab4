import { useEffect } from "react";
import { createPortal } from "react-dom";
import { serverTime } from "#app/components/forms/server-time.ts";
import { useUser } from "#app/components/shell/use-standing.ts";
import { ARRIVAL_TIME_NOTE, type ResultRow } from "#app/entities/search/result-columns.ts";
import { imageReference, imageUrl, type ResultSummary } from "#app/entities/search/result-set.ts";
import { bodyTypeText, colorText, makeText } from "#app/entities/search/vehicle-text.ts";
import { truncated } from "#app/lib/text.ts";
import { coordinateText, imageAlt, orMissing, timeText } from "./text.ts";

/** Prints only the sheet, even if a dialog is open in the top layer. */
const ONLY_SHEET = "print:[&>*:not([data-print-sheet])]:hidden";

type SightingPrintProps = {
  read: ResultRow;
  summary: ResultSummary;
  address?: string;
  /** A map of the location, as a data URI. */
  map?: string;
};

/** The open read as a report page, visible only in print. */
export function SightingPrint({ read, summary, address, map }: SightingPrintProps) {
  const user = useUser();
  useEffect(() => {
    document.body.classList.add(ONLY_SHEET);
    return () => document.body.classList.remove(ONLY_SHEET);
  }, []);
  const { request } = summary;
  const image = (kind: "vehicle" | "plate") =>
    imageUrl(read.program, imageReference(summary.id, read.row, kind));
  return createPortal(
    <article
      data-print-sheet
      aria-hidden="true"
      className="hidden bg-[Canvas] text-[CanvasText] scheme-light print:block print:[print-color-adjust:exact]"
    >
      <header className="mb-4 flex items-end justify-between border-b border-[CanvasText] pb-2">
        <h1 className="text-xl font-semibold">Sighting report</h1>
        <p className="text-end text-sm">
          Odin, printed {timeText(serverTime())}
          {user && (
            <>
              <br />
              by {user.name}, {user.department}
            </>
          )}
        </p>
      </header>
      <p className="plate-text mb-3 text-2xl wrap-anywhere">
        {orMissing(read.plate)} <span className="text-lg">{read.state}</span>
      </p>
      <div className="mb-4 flex items-start gap-4">
        {read.hasVehicleImage && (
          <img
            src={image("vehicle")}
            alt={imageAlt("vehicle", read)}
            data-undimmed
            className="max-h-[90mm] max-w-[120mm]"
          />
        )}
        {read.hasPlateImage && (
          <img src={image("plate")} alt={imageAlt("plate", read)} data-undimmed className="max-w-[50mm]" />
        )}
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
        <Line name="Timestamp">{timeText(read.capturedAt)}</Line>
        {read.timeIsArrival && <Line name="Timestamp note">{ARRIVAL_TIME_NOTE}</Line>}
        <Line name="Camera">{orMissing(read.camera)}</Line>
        <Line name="Agency">{orMissing(read.agency)}</Line>
        <Line name="Source program">{read.program}</Line>
        {address !== undefined && <Line name="Nearest address">{address}</Line>}
        <Line name="Coordinates">{coordinateText(read.latitude, read.longitude)}</Line>
        <Line name="Vehicle">
          {[colorText(read.color), makeText(read.make), bodyTypeText(read.bodyType)]
            .filter(Boolean)
            .join(", ") || orMissing("")}
        </Line>
        <Line name="Read id">{read.id}</Line>
        <Line name="Searched">{timeText(summary.createdAt)}</Line>
        <Line name="Justification">{orMissing(request.justification ?? "")}</Line>
        {request.case_number && <Line name="Case number">{request.case_number}</Line>}
      </dl>
      {map && (
        <img
          src={map}
          alt="Map of the location"
          data-undimmed
          className="mt-4 w-[100mm] break-inside-avoid border border-[CanvasText]"
        />
      )}
      <footer className="mt-6 border-t border-[CanvasText] pt-2 text-sm">
        A camera read is a lead. Verify plate and state before any action.
      </footer>
    </article>,
    document.body,
  );
}

/**
 * Maximum length of texts, so that the report fits on two pages. A longer one ends in an ellipsis, which shows that it
 * continues.
 */
const LONGEST = 600;

function Line({ name, children }: { name: string; children: string }) {
  return (
    <>
      <dt className="font-medium">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">
        <bdi>{truncated(children, LONGEST)}</bdi>
      </dd>
    </>
  );
}

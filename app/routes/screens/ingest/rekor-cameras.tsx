import type { MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { ArrowLeft, Cctv } from "lucide-react";
import { useRef, useState } from "react";
import { FindForm, findOf } from "#app/components/forms/find-form.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { useTypedBefore, useWantedText } from "#app/components/forms/use-typed-before.ts";
import { RekorCameraRow } from "#app/components/ingest/rekor-camera-row.tsx";
import { LoadErrorBoundary } from "#app/components/shell/load-failures.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { Select } from "#app/components/ui/fields/select.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import { agencyNames, correctRekorCamera, rekorCameraPage } from "#app/domain/ingest/rekor-cameras.ts";
import { CorrectionFields, correctionOf, type RekorCamera } from "#app/entities/ingest/camera.ts";
import type { NamedAgency } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";
import { numberText } from "#app/lib/number-text.ts";

export const meta: MetaFunction = () => [{ title: "Rekor Camera Management · Odin" }];

export const loader = screenLoader("owner", async ({ app, query }) => {
  const find = findOf(query);
  return { find, ...(await rekorCameraPage(app, find)), agencies: await agencyNames(app) };
});

export const action = screenAction("owner", {
  correct: screenForm(
    CorrectionFields,
    ({ app, actor, body }) =>
      correctRekorCamera(app, actor, { id: body.camera_id, change: correctionOf(body, true) }),
    { done: "The camera was saved", shows: () => undefined },
  ),
  undo: screenForm(
    CorrectionFields,
    ({ app, actor, body }) =>
      correctRekorCamera(app, actor, { id: body.camera_id, change: correctionOf(body, false) }),
    { done: "Rekor's location was restored", shows: () => undefined },
  ),
});

export const clientAction = screenClientAction;

/** Rows shown at a time, because each row has several inputs. */
const PAGE = 100;

const SHOWS = {
  all: "All cameras",
  manual: "Corrected",
  unplaced: "Without a location",
  silent: "Silent",
} as const;
type Show = keyof typeof SHOWS;

function isShow(value: string): value is Show {
  return Object.hasOwn(SHOWS, value);
}

const FILTERS: Record<Show, (camera: RekorCamera) => boolean> = {
  all: () => true,
  manual: ({ is_manual }) => is_manual,
  unplaced: ({ corrected_latitude }) => corrected_latitude === null,
  silent: ({ silent }) => silent,
};

type RekorCameraTableProps = { cameras: readonly RekorCamera[]; agencies: readonly NamedAgency[] };

/** All Rekor cameras with location, agency and whether they were corrected by hand. */
function RekorCameraTable({ cameras, agencies }: RekorCameraTableProps) {
  const [text, setText] = useState("");
  const [show, setShow] = useState<Show>("all");
  const field = useTypedBefore<HTMLInputElement>(setText, useWantedText());
  const choose = (value: string) => {
    if (isShow(value)) setShow(value);
  };
  const choice = useTypedBefore<HTMLSelectElement>(choose);
  const [most, setMost] = useState(PAGE);
  const opened = useRef(new Set<string>()).current;
  if (cameras.length === 0) {
    return (
      <EmptyState icon={<Cctv />} title="No Rekor cameras yet.">
        They appear when an API key is added or tested, and with reads from searches and webhooks.
      </EmptyState>
    );
  }
  const wanted = text.trim().toLowerCase();
  const found = cameras.filter(
    (camera) =>
      FILTERS[show](camera) &&
      [camera.camera_id, camera.camera_name, camera.site_name].some((word) =>
        word.toLowerCase().includes(wanted),
      ),
  );
  const shown = new Set(found.slice(0, most).map((camera) => camera.camera_id));
  for (const id of shown) opened.add(id);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Input
          ref={field}
          type="search"
          aria-label="Filter cameras by id, name or site"
          placeholder="Filter by id, name or site"
          onChange={(event) => setText(event.target.value)}
          className="max-w-xs"
        />
        <Select
          ref={choice}
          aria-label="Which cameras"
          defaultValue="all"
          onChange={(event) => choose(event.target.value)}
          className="!w-auto"
        >
          {Object.entries(SHOWS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
        <p role="status" className="text-sm text-muted">
          {found.length} of {cameras.length} {cameras.length === 1 ? "camera" : "cameras"}
        </p>
      </div>
      <DataTable
        label="Rekor cameras"
        caption="Rekor cameras, sorted by name"
        density="compact"
        columns={[
          "Camera ID",
          "Camera Name",
          "Site Name",
          "Latitude",
          "Longitude",
          "Agency",
          "Manual",
          "Health",
          "Actions",
        ]}
      >
        {/* A row that the filter hides keeps what was typed into it. */}
        {cameras
          .filter((camera) => opened.has(camera.camera_id))
          .map((camera) => (
            <RekorCameraRow
              key={camera.camera_id}
              camera={camera}
              agencies={agencies}
              hidden={!shown.has(camera.camera_id)}
            />
          ))}
      </DataTable>
      {found.length > most && (
        <Button className="self-center" onClick={() => setMost(most + PAGE)}>
          Show {Math.min(PAGE, found.length - most)} more
        </Button>
      )}
    </div>
  );
}

export default function RekorCameraScreen() {
  const { find, cameras, isFull, agencies } = useLoaderData<typeof loader>();
  return (
    <Page width="full">
      <PageHead
        title="Rekor Camera Management"
        lead="Correct a camera's location and agency. Corrections apply immediately to results, the map and exports, including those of earlier searches."
      >
        <Link to="/owner" className={buttonClass()}>
          <ArrowLeft aria-hidden="true" />
          Owner Panel
        </Link>
      </PageHead>
      {(find !== "" || isFull) && (
        <FindForm
          label="Find in all cameras"
          placeholder="Id, name or site"
          find={find}
          result={
            isFull
              ? `Only the first ${numberText(cameras.length)} cameras, by name, are listed.`
              : `${numberText(cameras.length)} found.`
          }
        />
      )}
      {(find === "" || cameras.length > 0) && <RekorCameraTable cameras={cameras} agencies={agencies} />}
    </Page>
  );
}

export function ErrorBoundary() {
  return <LoadErrorBoundary message={MESSAGES.camerasLoadFailed} />;
}

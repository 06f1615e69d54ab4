import { Cctv } from "lucide-react";
import { forwardRef, useRef, useState } from "react";
import { FindForm, pageAddress } from "#app/components/forms/find-form.tsx";
import { PageLinks } from "#app/components/forms/page-links.tsx";
import { useTypedBefore } from "#app/components/forms/use-typed-before.ts";
import { Button } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { Select, type SelectProps } from "#app/components/ui/fields/select.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import {
  isChosen,
  REKOR_CAMERA_CHOICES,
  type RekorCamera,
  type RekorCameraChoice,
} from "#app/entities/ingest/camera.ts";
import type { NamedAgency } from "#app/entities/integrations/settings.ts";
import { numberText } from "#app/lib/number-text.ts";
import type { NumberedPage } from "#app/lib/pages.ts";
import { RekorCameraRow } from "./rekor-camera-row.tsx";

/** Rows shown at a time, because each row has several inputs. */
const SHOWN_AT_ONCE = 100;

/** With more options in all rows, a row lists the agencies when its field is used. */
const MAX_OPTIONS = 2000;

const CHOICES: Record<RekorCameraChoice, string> = {
  all: "All cameras",
  manual: "Corrected",
  unplaced: "Without a location",
  silent: "Silent",
};

export type RekorCameraListProps = {
  find: string;
  choice: RekorCameraChoice;
  /** `limit` is where the list is cut; only a text finds the cameras beyond it. */
  list: NumberedPage<RekorCamera> & { limit: number | null };
  agencies: readonly NamedAgency[];
};

/**
 * Rekor cameras of all agencies with location, agency and whether they were corrected by hand. The screen filters a
 * complete list itself; the server filters a longer list and divides it into pages.
 */
export function RekorCameraList({ find, choice, list, agencies }: RekorCameraListProps) {
  const { rows: cameras, page, pages, found, limit } = list;
  const isFound = find !== "" || choice !== "all";
  const isPart = isFound || pages > 1;
  const isShort = Math.min(cameras.length, SHOWN_AT_ONCE) * agencies.length > MAX_OPTIONS;
  if (!isPart && cameras.length === 0) {
    return (
      <EmptyState icon={<Cctv />} title="No Rekor cameras yet.">
        They appear when an API key is added or tested, and with reads from searches and webhooks.
      </EmptyState>
    );
  }
  const count = numberText(found);
  return (
    <>
      {(isPart || isShort) && (
        <div className={isPart ? "" : "hidden noscript:block"}>
          <FindForm
            label="Find in all cameras"
            placeholder="Id, name or site"
            find={find}
            isChosen={choice !== "all"}
            result={
              limit !== null
                ? `${count} among the first ${numberText(limit)} cameras, by name.`
                : isFound
                  ? `${count} found.`
                  : `${count} cameras.`
            }
          >
            <ChoiceField key={choice} name="show" defaultValue={choice} />
          </FindForm>
        </div>
      )}
      {isShort && (
        <p className="hidden text-sm text-muted noscript:block">
          Without JavaScript, the agency of a camera can be changed after the camera was found by its id, name
          or site.
        </p>
      )}
      {isPart ? (
        cameras.length > 0 && (
          <CameraTable
            key={`${page} ${choice} ${find}`}
            found={cameras}
            {...{ cameras, agencies, isShort }}
          />
        )
      ) : (
        <FilteredTable {...{ cameras, agencies, isShort }} />
      )}
      <PageLinks
        page={page}
        pages={pages}
        to={(to) => pageAddress(to, { find, show: choice === "all" ? "" : choice })}
      />
    </>
  );
}

type TableProps = { cameras: readonly RekorCamera[]; agencies: readonly NamedAgency[]; isShort: boolean };

/** A list that is complete on the screen, with a filter. A row that the filter hides keeps its typed input. */
function FilteredTable({ cameras, ...table }: TableProps) {
  const [text, setText] = useState("");
  const [choice, setChoice] = useState<RekorCameraChoice>("all");
  const field = useTypedBefore<HTMLInputElement>(setText);
  const choose = (value: string) => setChoice((before) => choiceOf(value) ?? before);
  const choiceField = useTypedBefore<HTMLSelectElement>(choose);
  const wanted = text.trim().toLowerCase();
  const found = cameras.filter(
    (camera) =>
      isChosen(camera, choice) &&
      [camera.camera_id, camera.camera_name, camera.site_name].some((word) =>
        word.toLowerCase().includes(wanted),
      ),
  );
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
        <ChoiceField ref={choiceField} defaultValue="all" onChange={(event) => choose(event.target.value)} />
        <p role="status" className="text-sm text-muted">
          {found.length} of {cameras.length} {cameras.length === 1 ? "camera" : "cameras"}
        </p>
      </div>
      <CameraTable cameras={cameras} found={found} {...table} />
    </div>
  );
}

function choiceOf(value: string): RekorCameraChoice | undefined {
  return REKOR_CAMERA_CHOICES.find((choice) => choice === value);
}

const ChoiceField = forwardRef<HTMLSelectElement, SelectProps>(function ChoiceField(select, ref) {
  return (
    <Select ref={ref} aria-label="Which cameras" className="!w-auto" {...select}>
      {REKOR_CAMERA_CHOICES.map((value) => (
        <option key={value} value={value}>
          {CHOICES[value]}
        </option>
      ))}
    </Select>
  );
});

/** Shows the rows that were found. Rows that were shown before stay rendered, so that they keep their typed input. */
function CameraTable({ cameras, found, agencies, isShort }: TableProps & { found: readonly RekorCamera[] }) {
  const [most, setMost] = useState(SHOWN_AT_ONCE);
  const opened = useRef(new Set<string>()).current;
  const shown = new Set(found.slice(0, most).map((camera) => camera.camera_id));
  for (const id of shown) opened.add(id);
  return (
    <div className="flex flex-col gap-3">
      <DataTable
        label="Rekor cameras"
        caption="Rekor cameras, sorted by name"
        density="compact"
        cardsBelow="widest"
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
        {cameras
          .filter((camera) => opened.has(camera.camera_id))
          .map((camera) => (
            <RekorCameraRow
              key={camera.camera_id}
              camera={camera}
              agencies={agencies}
              isShort={isShort}
              hidden={!shown.has(camera.camera_id)}
            />
          ))}
      </DataTable>
      {found.length > most && (
        <Button className="self-center" onClick={() => setMost(most + SHOWN_AT_ONCE)}>
          Show {Math.min(SHOWN_AT_ONCE, found.length - most)} more
        </Button>
      )}
    </div>
  );
}

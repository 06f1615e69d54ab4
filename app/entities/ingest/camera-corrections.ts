import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";
import { COORDINATE_SCALE, type Columns, placeAt, wordAt } from "#app/entities/search/result-columns.ts";
import type { CameraCorrection, CameraSeen } from "./camera.ts";

const REKOR = SOURCE_PROGRAMS.indexOf("Rekor");

/** Moves reads of corrected Rekor cameras to the corrected location. Returns whether one of the cameras is known here. */
export function correctColumns(columns: Columns, corrections: readonly CameraCorrection[]): boolean {
  const ids = columns.dictionaries.cameraId;
  const byCode = new Map<number, CameraCorrection>();
  for (const correction of corrections) {
    const code = ids.indexOf(correction.cameraId);
    if (code >= 0) byCode.set(code, correction);
  }
  if (byCode.size === 0) return false;
  const agencies = agencyCodes(columns, [...byCode.values()]);
  for (let row = 0; row < columns.count; row++) {
    const correction = byCode.get(columns.words.cameraId[row] ?? 0);
    // Another program's camera may have the same id.
    if (!correction || columns.programs[row] !== REKOR) continue;
    columns.latitudes[row] = Math.round(correction.latitude * COORDINATE_SCALE);
    columns.longitudes[row] = Math.round(correction.longitude * COORDINATE_SCALE);
    if (correction.agency !== null) columns.words.agency[row] = agencies.get(correction.agency) as number;
  }
  return true;
}

/** Returns the dictionary codes of the corrections' agencies, adding missing ones; widens the column to hold them. */
function agencyCodes(columns: Columns, corrections: readonly CameraCorrection[]): Map<string, number> {
  const dictionary = columns.dictionaries.agency;
  const codes = new Map<string, number>();
  for (const { agency } of corrections) {
    if (agency === null || codes.has(agency)) continue;
    const known = dictionary.indexOf(agency);
    codes.set(agency, known >= 0 ? known : dictionary.push(agency) - 1);
  }
  if (codes.size > 0) columns.words.agency = Uint32Array.from(columns.words.agency);
  return codes;
}

/** Returns the Rekor cameras of found reads, each with its latest time and the vendor's location. */
export function camerasOf(columns: Columns, agencyOfSource: ReadonlyMap<string, string>): CameraSeen[] {
  const latest = new Map<number, number>();
  for (let row = 0; row < columns.count; row++) {
    if (columns.programs[row] !== REKOR) continue;
    const code = columns.words.cameraId[row] ?? 0;
    const known = latest.get(code);
    const at = columns.times[row] ?? 0;
    if (Number.isNaN(at)) continue;
    if (known === undefined || (columns.times[known] ?? 0) < at) latest.set(code, row);
  }
  const cameras: CameraSeen[] = [];
  for (const row of latest.values()) {
    const id = wordAt(columns, "cameraId", row);
    if (id === "") continue;
    cameras.push({
      id,
      agencyId: agencyOfSource.get(wordAt(columns, "source", row)) ?? null,
      name: wordAt(columns, "camera", row),
      siteName: "",
      latitude: placeAt(columns, row)?.latitude ?? null,
      longitude: placeAt(columns, row)?.longitude ?? null,
      at: columns.times[row] ?? 0,
      kind: "past-read",
    });
  }
  return cameras;
}

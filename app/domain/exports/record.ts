// One record of the report on half a page: plate, images with their hashes, all fields, map. A record with longer
// texts gets a page of its own, and what does not fit there continues on the next. Only the justification is ever
// cut off; the cover has it in full.

import type { Export, ExportRecord, MissingImage } from "#app/entities/exports/request.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { ARRIVAL_TIME_NOTE } from "#app/entities/search/result-columns.ts";
import { mappablePlace } from "#app/entities/search/sighting.ts";
import { bodyTypeText, colorText, makeText } from "#app/entities/search/vehicle-text.ts";
import { PAGE, type Pdf, type PdfPage } from "#app/lib/pdf/document.ts";
import type { PdfFont } from "#app/lib/pdf/font.ts";
import { pdfNumber } from "#app/lib/pdf/objects.ts";
import { truncated } from "#app/lib/text.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { type createMapPrinter, MAP_SIZE, type Streets } from "./map-print.ts";
import { block, type Fonts, line, MARGIN } from "./page.ts";
import {
  type Box,
  drawPicture,
  type Numbered,
  note,
  type ReportImage,
  type ShownPicture,
  SMALL,
  type Spot,
} from "./picture.ts";

/** The height of a usual record in points, two of which fit on a page. */
export const HALF_PAGE = 350;
const VEHICLE = { width: 300, height: 169 } as const;
const PLATE = { width: 146, height: MAP_SIZE.height } as const;
const FIELDS_X = MARGIN + VEHICLE.width + 16;
const LABEL = 60;
const VALUE_WIDTH = PAGE.width - MARGIN - FIELDS_X - LABEL;
const SIZE = 8.5;
const LEADING = 11;
/** Fields per paragraph for screen readers: the vehicle, the read, then the place and the reason. */
const PARAGRAPHS = [
  [0, 5],
  [5, 10],
  [10, 13],
] as const;
/** Characters of the justification that each record repeats. */
const JUSTIFICATION = 140;

/** Maximum height of a record's fields on half a page, and on a page of its own. */
const [SHORT, TALL] = [HALF_PAGE - 70, 620];
/** Lines of a long text before it continues on the next page. */
const BEGINNING = 2;

type Field = { label: string; text: string; lines: string[] };
/** What a report shows of a record besides its fields. */
export type RecordParts = {
  vehicle: ReportImage;
  plate: ReportImage;
  address: string;
  /** The street map of its place, if there is one. */
  streets?: Streets | undefined;
};

export type PlannedRecord = {
  record: ExportRecord;
  images: RecordParts;
  fields: Field[];
  /** Needs a page of its own. */
  isTall: boolean;
  /** Texts that a page cannot hold: they begin there and are printed in full on the next. */
  rest: { label: string; text: string }[];
};

/** Returns a vendor's value in plain words, with the recorded value where it differs. */
function plainWords(value: string, textOf: (value: string) => string): string {
  const text = textOf(value);
  return text === value ? value : `${text} (recorded as ${value})`;
}

/**
 * Returns the printer of records: `plan` decides how much room a record needs, and `draw` returns the images that
 * should be there and are not.
 */
export function createRecordPrinter(input: {
  pdf: Pdf;
  fonts: Fonts;
  maps: ReturnType<typeof createMapPrinter>;
  export: Export;
  total: number;
  timeText: (at: number) => string;
  /** Receives each picture of a vehicle that was embedded. */
  onVehicle: (shown: ShownPicture) => void;
}) {
  const { pdf, fonts, maps, total, timeText, onVehicle } = input;
  const justification = truncated(input.export.justification.replace(/\s+/g, " "), JUSTIFICATION);

  function plan(record: ExportRecord, images: PlannedRecord["images"]): PlannedRecord {
    const texts = fieldTexts(record, { address: images.address, justification, timeText });
    const fields = texts.map(([label, value]) => fieldOf(label, value, fonts.text));
    const height = heightOf(fields);
    if (height <= TALL) return { record, images, fields, isTall: height > SHORT, rest: [] };
    const rest = fields.filter(({ lines }) => lines.length > BEGINNING + 1);
    for (const field of rest)
      field.lines = [...field.lines.slice(0, BEGINNING), "(in full on the next page)"];
    return { record, images, fields, isTall: true, rest };
  }

  function draw(at: { page: PdfPage; top: number; number: number; planned: PlannedRecord }): MissingImage[] {
    const { page, top, number, planned } = at;
    const { record, images } = planned;
    const section = pdf.section();
    const spot = { page, section, top };
    drawHeading(spot, { record, number });
    drawFields(spot, planned);

    const missing: MissingImage[] = [];
    const picture = (kind: "vehicle" | "plate", box: Box) => {
      const image = images[kind];
      const problem = drawPicture({ pdf, fonts, onVehicle }, spot, { kind, record, number, image, box });
      if (problem && (!("reason" in image) || image.isFailure))
        missing.push({ record: number, id: record.id, image: kind, reason: problem });
    };
    const vehicleY = top - 46 - VEHICLE.height;
    picture("vehicle", { x: MARGIN, y: vehicleY, ...VEHICLE });
    const lowerY = vehicleY - 22 - PLATE.height;
    picture("plate", { x: MARGIN, y: lowerY, ...PLATE });
    drawMap(spot, planned, { x: MARGIN + VEHICLE.width - MAP_SIZE.width, y: lowerY, ...MAP_SIZE });
    pdf.endSection(section);
    return missing;
  }

  function drawHeading({ page, section, top }: Spot, { record, number }: Numbered): void {
    const plate = record.plate || "No plate read";
    const stateX = MARGIN + fonts.mono.widthOf(fonts.mono.shown(plate), 18) + 8;
    page.artifact(`0.5 w 0 G ${MARGIN} ${top - 2} m ${PAGE.width - MARGIN} ${top - 2} l S\n`);
    page.tag(
      section,
      "H2",
      line(fonts.bold, 9, MARGIN, top - 14, `Record ${number} of ${total} `) +
        line(fonts.mono, 18, MARGIN, top - 34, `${plate} `) +
        line(fonts.bold, 10, stateX, top - 34, [record.state, record.program].filter(Boolean).join(" · ")),
    );
  }

  /** Draws the fields, and the id at the end of the last paragraph. */
  function drawFields({ page, section, top }: Spot, { record, fields }: PlannedRecord): void {
    const id = `ID ${record.id}`;
    const idX = PAGE.width - MARGIN - fonts.mono.widthOf(id, 7);
    let y = top - 54;
    for (const [from, to] of PARAGRAPHS) {
      const part = fields.slice(from, to);
      const last = to === fields.length ? line(fonts.mono, 7, idX, top - 14, id) : "";
      page.tag(section, "P", paragraph({ fonts, fields: part, y }) + last);
      y -= heightOf(part);
    }
  }

  function drawMap({ page, section }: Spot, { record, images, fields }: PlannedRecord, box: Box): void {
    const place = mappablePlace(record);
    if (!place) {
      page.tag(section, "P", note(fonts, box, "No map: the read has no usable coordinates."));
      return;
    }
    const map = maps.place(place, images.streets);
    const near = map.nearest.join("; ");
    const coordinates = fields.find(({ label }) => label === "Coordinates")?.lines[0];
    page.tag(section, "Figure", map.draw(page, box), `Map of the place of the read, ${coordinates}`);
    const lines = fonts.text.wrap(fonts.text.shown(`Near: ${near}`), SMALL, MAP_SIZE.width).slice(0, 2);
    if (near !== "")
      page.tag(section, "P", block(fonts.text, { size: SMALL, x: box.x, y: box.y - 7, lines, leading: 7 }));
  }

  return { plan, draw };
}

/** Returns a field with its value in the lines that fit beside its label. */
function fieldOf(label: string, value: string | string[], font: PdfFont): Field {
  const parts = (Array.isArray(value) ? value : [value]).map((text) => text.trim() || MESSAGES.missing);
  return {
    label,
    text: parts.join(", "),
    lines: parts.flatMap((text) => font.wrap(font.shown(text), SIZE, VALUE_WIDTH)),
  };
}

/** Returns the label and the value of each field, or the lines of its value. */
function fieldTexts(
  record: ExportRecord,
  more: { address: string; justification: string; timeText: (at: number) => string },
): [label: string, value: string | string[]][] {
  const { latitude, longitude, capturedAt, confidence } = record;
  const hasPlace = latitude !== null && longitude !== null;
  const time = capturedAt === null ? [MESSAGES.missing] : [more.timeText(capturedAt), isoTime(capturedAt)];
  if (record.timeIsArrival) time.push(ARRIVAL_TIME_NOTE);
  return [
    ["Plate", record.plate],
    ["State", record.state],
    ["Make", plainWords(record.make, makeText)],
    ["Color", plainWords(record.color, colorText)],
    ["Body type", plainWords(record.bodyType, bodyTypeText)],
    ["Timestamp", time],
    ["Camera", record.camera],
    ["Agency", record.agency],
    ["Program", record.program],
    ["Confidence", confidence === null ? "" : `${confidence}%`],
    ["Coordinates", hasPlace ? `${latitude.toFixed(6)}, ${longitude.toFixed(6)}` : ""],
    ["Address", more.address],
    ["Justification", more.justification],
  ];
}

const heightOf = (fields: readonly Field[]) =>
  fields.reduce((sum, { lines }) => sum + lines.length * LEADING + 3, 0);

/**
 * Returns the operators of fields below each other, each with its label and lines. Offsets are relative to the line
 * before.
 */
function paragraph(one: { fonts: Fonts; fields: readonly Field[]; y: number }): string {
  const { fonts, fields, y } = one;
  const name = `/${fonts.bold.name} ${SIZE} Tf`;
  const value = `/${fonts.text.name} ${SIZE} Tf`;
  const down = `0 ${-LEADING} Td`;
  const texts = fields.map(({ label, lines }) => {
    const shown = lines.map((text) => `${fonts.text.encode(`${text} `)}Tj`).join(` ${down}`);
    return `${name}${fonts.bold.encode(`${label} `)}Tj ${LABEL} 0 Td${value}${shown} ${-LABEL} ${-LEADING - 3} Td`;
  });
  return `BT ${FIELDS_X} ${pdfNumber(y)} Td${texts.join("")} ET\n`;
}

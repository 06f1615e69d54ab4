// Converts a read of our Axon contract (specified in axon.ts) to a sighting.

import * as z from "zod/mini";
import { normalizePlate } from "#app/entities/search/plate.ts";
import { VEHICLE_MARKS, type VehicleMark } from "#app/entities/search/query.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import { fieldIn } from "#app/lib/json/parse.ts";
import { bodyTypeFromAxon, colorFromAxon, makeFromVendor, stateFromAxon } from "./vehicle-words.ts";
import {
  confidenceOf,
  looseNumber,
  looseObject,
  looseText,
  looseTime,
  placeOf,
  plateOf,
  textOf,
} from "./wire-values.ts";

/** The response of a search. Reads are parsed one by one, so that one bad read does not lose the page. */
export const AxonAnswer = z.object({
  reads: z.array(z.unknown()),
  nextCursor: z.optional(z.nullable(z.string().check(z.maxLength(4000)))),
});
export type AxonAnswer = z.infer<typeof AxonAnswer>;

const Read = z.object({
  id: z.union([z.string(), z.pipe(z.number(), z.transform(String))]),
  plate: looseText,
  plateState: looseText,
  capturedAt: looseTime,
  camera: looseObject(z.object({ name: looseText, id: looseText })),
  location: looseObject(z.object({ latitude: looseNumber, longitude: looseNumber })),
  vehicle: looseObject(
    z.object({
      make: looseText,
      color: looseText,
      bodyType: looseText,
      marks: looseObject(z.array(z.unknown())),
    }),
  ),
  images: looseObject(z.object({ vehicle: z.optional(z.unknown()), plate: z.optional(z.unknown()) })),
  confidence: looseNumber,
});

/** A read, and the vehicle features seen, which Odin can search but does not show. */
export type AxonRead = { sighting: Sighting; marks: VehicleMark[] };

/** Returns whether a row has the documented form of a read, even if its plate could not be read. */
export function isAxonRow(value: unknown): boolean {
  return typeof value === "object" && value !== null && "id" in value && "plate" in value;
}

/** Returns whether a row names a plate: it is a read, even if it cannot be used. */
export function namesPlate(value: unknown): boolean {
  return normalizePlate(textOf(fieldIn(value, "plate")) ?? "") !== "";
}

/** Returns a read, or undefined if it has no plate or no id with which to request its images. */
export function readFromAxon(value: unknown, source: SearchSource): AxonRead | undefined {
  const parsed = Read.safeParse(value);
  if (!parsed.success) return undefined;
  const { id, camera, location, vehicle, images, confidence, ...read } = parsed.data;
  const plate = plateOf(read.plate);
  if (plate === undefined || !isReadId(id)) return undefined;
  const sighting: Sighting = {
    id: stableId("Axon", new URL(source.baseUrl).host, source.partnerId, id),
    program: "Axon",
    sourceId: source.id,
    agency: source.agency,
    plate,
    plateState: stateFromAxon(read.plateState ?? ""),
    make: makeFromVendor(vehicle?.make ?? ""),
    color: colorFromAxon(vehicle?.color ?? ""),
    bodyType: bodyTypeFromAxon(vehicle?.bodyType ?? ""),
    capturedAt: read.capturedAt ?? null,
    cameraName: camera?.name ?? camera?.id ?? "",
    ...placeOf(location?.latitude, location?.longitude),
    confidence: confidenceOf(confidence === undefined ? undefined : Math.round(confidence * 10_000) / 100),
    vehicleImage: images?.vehicle ? `${id}|vehicle` : null,
    plateImage: images?.plate ? `${id}|plate` : null,
    plateCorners: null,
  };
  const seen = vehicle?.marks ?? [];
  return { sighting, marks: VEHICLE_MARKS.map((mark) => mark.key).filter((mark) => seen.includes(mark)) };
}

/** Any printable text, such as base64; `|` separates the parts of a locator. It is encoded in URLs. */
const isReadId = (text: string) => /^(?=\S)[^\p{C}\p{Zl}\p{Zp}|]{1,200}$/u.test(text);

/** Parses a locator that `readFromAxon` created. Returns undefined for any other text. */
export function parseAxonLocator(locator: string): { id: string; kind: "vehicle" | "plate" } | undefined {
  const [id = "", kind, ...rest] = locator.split("|");
  if (!isReadId(id) || rest.length > 0 || (kind !== "vehicle" && kind !== "plate")) return undefined;
  return { id, kind };
}

/** What a Rekor webhook tells, in Odin's words; read from the wire in providers/rekor-event.ts. */

import type { SentImage } from "#app/entities/alerts/match.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import type { CameraSeen } from "./camera.ts";

/** Largest document of a webhook; a real one with three pictures has some 60 kB. */
export const REKOR_BODY_LIMIT = 5 * 1024 * 1024;

/** A camera as an event names it; whose it is and when, the door knows. */
export type EventCamera = Pick<CameraSeen, "id" | "name" | "siteName" | "latitude" | "longitude">;

/** Told beside a read, whoever sent it. */
export const BROKEN_PICTURE = "A picture that came with the read could not be read";

/** Told beside a read that names no time. */
export const TIME_OF_ARRIVAL = "Time is that of arrival: the read has none";

/** The read of a group, or of an alert that holds one. */
export type RekorRead = {
  sighting: Sighting;
  /** The same for every event of the pass: its agent, camera and start, or what else names it. */
  pass: string;
  /** An early, partial word of a pass that is still going on. */
  isPreview: boolean;
  camera: EventCamera;
  images: SentImage[];
  /** What could not be read of it, in words. */
  caveats: string[];
};

export type RekorEvent =
  | { kind: "read"; read: RekorRead }
  /** A vehicle without a plate: it says that its camera works, and nothing that could be matched. */
  | { kind: "vehicle"; camera: EventCamera }
  | { kind: "heartbeat"; cameras: EventCamera[] }
  /** Scout's button "Send test": it shows that the webhook reaches us. */
  | { kind: "test" }
  /** Known, and of no use here: results of single frames, which are told again as groups. */
  | { kind: "other" };

/** The parser of the context: throws AppError bad_request for what is no document of a webhook. */
export type ParseRekorEvent = (document: unknown) => RekorEvent;

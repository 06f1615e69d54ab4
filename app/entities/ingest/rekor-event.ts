/** What a Rekor webhook reports, in Odin's terms; parsed in providers/rekor-event.ts. */

import type { SentImage } from "#app/entities/alerts/match.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import type { CameraSeen } from "./camera.ts";

/** Largest webhook document, in bytes; a real one with three pictures has about 60 kB. */
export const REKOR_BODY_LIMIT = 5 * 1024 * 1024;

/** A camera as an event names it; the webhook adds the agency and the time. */
export type EventCamera = Pick<CameraSeen, "id" | "name" | "siteName" | "latitude" | "longitude">;

/** A camera in a heartbeat of its agent. `isStreaming` is false while the agent gets no video from it. */
export type StreamedCamera = EventCamera & { isStreaming: boolean };

/** Caveat shown next to a read of any program. */
export const BROKEN_PICTURE = "A picture that came with the read could not be read";

/** Caveat shown next to a read whose plate has other characters than the camera read. */
export const LOST_CHARACTER = "A character of the plate could not be read";

/** Caveat shown next to a read without a time. */
export const TIME_OF_ARRIVAL = "Time is that of arrival: the read has none";

/** The read of a group, or of an alert that contains a group. */
export type RekorRead = {
  sighting: Sighting;
  /**
   * Identifies the pass, the same for all of its events: agent, camera, start and the number of the plate in the first
   * image, or the vendor's id.
   */
  pass: string;
  /** An early, partial report of a pass that is still in progress. */
  isPreview: boolean;
  /** When the vehicle was last seen (milliseconds UTC), or null. A parked vehicle stays in one pass for hours. */
  endedAt: number | null;
  camera: EventCamera;
  images: SentImage[];
  /** The parts of the event that could not be read, as text for the user. */
  caveats: string[];
};

export type RekorEvent =
  | { kind: "read"; read: RekorRead }
  /** A vehicle without a plate: shows that its camera works, but cannot be matched. */
  | { kind: "vehicle"; camera: EventCamera }
  | { kind: "heartbeat"; cameras: StreamedCamera[] }
  /** The "Send test" button of Rekor Scout: shows that the webhook reaches Odin. */
  | { kind: "test" }
  /** Known and ignored: results of single frames, which are also sent as groups. */
  | { kind: "other" };

/** The parser in the context. Throws AppError bad_request for anything that is not a webhook document. */
export type ParseRekorEvent = (document: unknown) => RekorEvent;

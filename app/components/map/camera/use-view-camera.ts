import { type MutableRefObject, type RefObject, useEffect } from "react";
import type { TrackMarks } from "#app/components/map/paint/track.ts";
import type { MapModel } from "#app/components/map/use-map-model.ts";
import type { ResultsStore } from "#app/components/search/results/state.ts";
import {
  type Camera,
  DEFAULT_CAMERA,
  fittedCamera,
  frameOf,
  latitudeAt,
  longitudeAt,
  type Pixel,
  type Size,
} from "#app/entities/search/map/camera.ts";
import { boundsOf, spotPlace } from "#app/entities/search/map/points.ts";
import { boundsOfTrack } from "#app/entities/search/map/track.ts";
import { type CameraControl, useCamera } from "./use-camera.ts";

/** The last camera of each search and the track it showed, for the lifetime of the page. */
const cameras = new WeakMap<object, { camera: Camera; plate: string | null }>();

export type ViewCameraOptions = {
  box: RefObject<HTMLElement>;
  /** Gets the camera, for callbacks that are made before it. */
  latest: MutableRefObject<CameraControl | null>;
  store: ResultsStore;
  model: MapModel;
  /** The plate whose track is shown, and its track. */
  plate: string | null;
  marks: TrackMarks | null;
  onHover: (at: Pixel | null) => void;
  onClick: (at: Pixel) => void;
};

/** Returns the camera of the results map: it begins where it was left, and goes to new tracks and the current read. */
export function useViewCamera(options: ViewCameraOptions): CameraControl | null {
  const { box, latest, plate, marks, model, onHover, onClick } = options;
  const { points, currentSpot } = model;
  const control = useCamera({ box, ...initialCamera(options), onHover, onClick });
  latest.current = control;

  // Fits the camera to a new track; later filter changes do not move it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the plate changes
  useEffect(() => {
    const bounds = marks && boundsOfTrack(marks.track);
    if (bounds) latest.current?.fit(bounds);
  }, [plate]);

  // Brings the current read of the table into view.
  useEffect(() => {
    const now = latest.current;
    if (!now || currentSpot === null) return;
    const place = spotPlace(points, currentSpot);
    const { scale, left, top } = frameOf(now.camera, now.size);
    const [x, y] = [place.x * scale + left, place.y * scale + top];
    if (x < 0 || y < 0 || x > now.size.width || y > now.size.height) {
      now.goTo({ longitude: longitudeAt(place.x), latitude: latitudeAt(place.y) });
    }
  }, [currentSpot, points, latest]);

  return control;
}

/** The camera as this search was left, otherwise around the track or all reads. */
function initialCamera({ store, plate, marks, model }: ViewCameraOptions) {
  return {
    initial: (size: Size): Camera => {
      const kept = cameras.get(store.get().search);
      if (kept?.plate === plate) return kept.camera;
      const bounds = (marks && boundsOfTrack(marks.track)) ?? boundsOf(model.points, model.shared.pass);
      return bounds ? fittedCamera(bounds, size) : DEFAULT_CAMERA;
    },
    onChange: (camera: Camera) => {
      cameras.set(store.get().search, { camera, plate });
    },
  };
}

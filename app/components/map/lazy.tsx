import { LazySlot, lazyPart } from "#app/components/ui/lazy-slot.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { mappablePlace } from "#app/entities/search/sighting.ts";
import type { AreaMapProps } from "./areas.tsx";
import type { PinMapProps } from "./pin.tsx";
import type { SmallMapProps } from "./small.tsx";
import type { MapViewProps } from "./view.tsx";

// Lazy-loaded when a map is opened, to keep the first load small.
const MapView = lazyPart(async () => (await import("./view.tsx")).default);
const SmallMap = lazyPart(async () => (await import("./small.tsx")).default);
const AreaMap = lazyPart(async () => (await import("./areas.tsx")).default);
const PinMap = lazyPart(async () => (await import("./pin.tsx")).default);

/** The map of all reads, in a box that keeps its height while the code loads. */
export function LazyMapView(props: MapViewProps) {
  return (
    <LazySlot
      fallback={
        <div className="min-h-0 flex-1 p-4" role="status" aria-label="Loading the map">
          <Skeleton className="h-[600px] w-full" />
        </div>
      }
    >
      <MapView {...props} />
    </LazySlot>
  );
}

type ReadPlaceProps = Pick<SmallMapProps, "program" | "label"> & {
  latitude: number | null;
  longitude: number | null;
};

/** The small map of one read; renders nothing if the read has no location that a map can show. */
export function LazySmallMap({ latitude, longitude, program, label }: ReadPlaceProps) {
  const place = mappablePlace({ latitude, longitude });
  if (!place) return null;
  return (
    <LazySlot fallback={<Skeleton className="h-64 w-full noscript:hidden" />}>
      <SmallMap key={`${place.latitude},${place.longitude}`} {...place} program={program} label={label} />
    </LazySlot>
  );
}

/** The map on which a camera is placed. */
export function LazyPinMap(props: PinMapProps) {
  return (
    <LazySlot fallback={<Skeleton className="h-72 w-full" />}>
      <PinMap {...props} />
    </LazySlot>
  );
}

/** The map of the places of an investigation. */
export function LazyAreaMap(props: AreaMapProps) {
  return (
    <LazySlot fallback={<Skeleton className="h-96 w-full noscript:hidden" />}>
      <AreaMap {...props} />
    </LazySlot>
  );
}

import { useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import {
  type BasemapInfo,
  EMBEDDED_BASEMAP,
  type EmbeddedBasemap,
  type PackedBasemap,
  unpackBasemap,
} from "#app/entities/search/map/basemap.ts";
import { mercatorX, mercatorY } from "#app/entities/search/map/camera.ts";

/** Lines in Mercator units with what surrounds them, ready to be drawn on a canvas. */
export type DrawnLine = { x: Float64Array; y: Float64Array; box: [number, number, number, number] };
export type Basemap = {
  info: BasemapInfo;
  vectors: EmbeddedBasemap;
  drawn: Record<"land" | "neighbours" | "states" | "counties", DrawnLine[]>;
};

let loading: Promise<Basemap> | undefined;

/** The basemap, fetched once for a page; null until it is here. A map without ground is better than none. */
export function useBasemap(): Basemap | null {
  const [basemap, setBasemap] = useState<Basemap | null>(null);
  useEffect(() => {
    let isGone = false;
    loading ??= loadBasemap();
    loading
      .then((loaded) => {
        if (!isGone) setBasemap(loaded);
      })
      .catch(() => {
        loading = undefined;
        if (!isGone) setBasemap(prepared(EMBEDDED_BASEMAP, EMPTY));
      });
    return () => {
      isGone = true;
    };
  }, []);
  return basemap;
}

const EMPTY: PackedBasemap = { land: [], neighbours: [], states: [], counties: [], places: [] };

async function loadBasemap(): Promise<Basemap> {
  const [info, packed] = await Promise.all([
    fetched<BasemapInfo>("/map/basemap"),
    fetched<PackedBasemap>("/basemap/embedded.json"),
  ]);
  return prepared(info, packed);
}

async function fetched<T>(address: string): Promise<T> {
  const answer = await callApi<T>(address);
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  return answer.value;
}

function prepared(info: BasemapInfo, packed: PackedBasemap): Basemap {
  const vectors = unpackBasemap(packed);
  const { land, neighbours, states, counties } = vectors;
  return {
    info,
    vectors,
    drawn: {
      land: land.map(toDrawn),
      neighbours: neighbours.map(toDrawn),
      states: states.map(toDrawn),
      counties: counties.map(toDrawn),
    },
  };
}

function toDrawn({ longitudes, latitudes }: EmbeddedBasemap["land"][number]): DrawnLine {
  const x = longitudes.map(mercatorX);
  const y = latitudes.map(mercatorY);
  let [left, right, top, bottom] = [2, -1, 2, -1];
  for (let i = 0; i < x.length; i++) {
    left = Math.min(left, x[i] as number);
    right = Math.max(right, x[i] as number);
    top = Math.min(top, y[i] as number);
    bottom = Math.max(bottom, y[i] as number);
  }
  return { x, y, box: [left, top, right, bottom] };
}

// Browser part of the bench `results`: our table and canvas map, and their peers.

import { AllCommunityModule, type ColDef, createGrid, type GridApi, ModuleRegistry } from "ag-grid-community";
// @ts-expect-error: the package has no types
import * as L from "leaflet";
import "leaflet/dist/leaflet.css";
import "leaflet.markercluster";
import "leaflet.markercluster/dist/MarkerCluster.css";
import { createRef } from "react";
import { createRoot } from "react-dom/client";
import { drawMarker, PROGRAM_COUNT, stampOf } from "#app/components/map/paint/marker-shapes.ts";
import { createRaster, stampMarkers } from "#app/components/map/paint/markers.ts";
import { readPalette } from "#app/components/map/paint/palette.ts";
import { DENSE_MARKER_PIXELS } from "#app/components/map/scene.ts";
import { TALLEST_BOX } from "#app/components/search/results/scroll-scale.ts";
import { createResultsStore, type ResultsStore } from "#app/components/search/results/state.ts";
import { SightingTable } from "#app/components/search/results/table.tsx";
import { DEFAULT_LAYOUT } from "#app/components/search/results/table-columns.ts";
import { createImageSource, ImageSourceContext } from "#app/components/search/sighting/read-image.tsx";
import { warmTimes } from "#app/components/search/sighting/text.ts";
import { fittedCamera, frameOf } from "#app/entities/search/map/camera.ts";
import { boundsOf, countBySpot, mapPoints, timeRange, timeSlice } from "#app/entities/search/map/points.ts";
import { decodeColumns } from "#app/entities/search/result-codec.ts";
import "#app/styles/app.css";

type JsonRow = {
  id: string;
  plate: string;
  plate_state: string;
  make: string;
  color: string;
  body_type: string;
  agency: string;
  camera_name: string;
  timestamp: string;
  latitude: number;
  longitude: number;
};

const SIZE = { width: 1200, height: 600 };
/** Share of the time range that each step of the slider shows. */
const SHOWN = 0.39;
const STEPS = 8;

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] as number;
const p95 = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length * 0.95)] as number;

/** Starts measuring; the returned function stops and returns the longest time that blocked the event loop, in ms. */
function watchBlocking() {
  let [last, longest, isOn] = [performance.now(), 0, true];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (isOn) port2.postMessage(0);
  };
  port2.postMessage(0);
  return () => {
    isOn = false;
    return Math.max(longest, performance.now() - last);
  };
}

function stage(): HTMLElement {
  const element = document.createElement("div");
  element.style.cssText = "width:1200px;height:700px;display:flex;flex-direction:column";
  document.body.replaceChildren(element);
  return element;
}

function mountOwn(store: ResultsStore, element: HTMLElement) {
  const root = createRoot(element);
  root.render(
    <ImageSourceContext.Provider value={createImageSource("0".repeat(22), () => {})}>
      <SightingTable
        store={store}
        handle={createRef()}
        layout={{ ...DEFAULT_LAYOUT, density: "compact" }}
        onLayout={() => {}}
        onOpen={() => {}}
      />
    </ImageSourceContext.Provider>,
  );
}

async function until(found: () => unknown): Promise<void> {
  while (!found()) await nextFrame();
}

const ownRows = () => document.querySelectorAll("[data-row]").length > 5;
const gridRows = () => document.querySelectorAll(".ag-row").length > 5;

/** Loads the fonts that the screen has loaded before results arrive, for our table and its peers alike. */
async function fonts() {
  const faces = ["14px 'Inter Variable'", "600 14px 'Inter Variable'", "14px 'JetBrains Mono Variable'"];
  await Promise.all([...faces, "14px 'Odin Zero'"].map((face) => document.fonts.load(face, "A0")));
}

/** Fetches the bytes of a set and, like the screen, warms the time formatter while it waits. */
async function ownBytes(count: number): Promise<ArrayBuffer> {
  const response = fetch(`/columns/${count}`);
  warmTimes();
  return (await response).arrayBuffer();
}

/** Measures the time from loaded bytes to the first rows. */
async function ownLoad(count: number) {
  await fonts();
  const bytes = await ownBytes(count);
  const stop = watchBlocking();
  await nextFrame();
  const start = performance.now();
  const columns = decodeColumns(new Uint8Array(bytes));
  const decoded = performance.now() - start;
  const store = createResultsStore(columns);
  mountOwn(store, stage());
  await until(ownRows);
  return { decode: decoded, rows: performance.now() - start, blocked: stop() };
}

/** The peer: the same rows as JSON, each an object, in AG Grid. */
async function jsonLoad(count: number) {
  await fonts();
  const text = await (await fetch(`/json/${count}`)).text();
  const stop = watchBlocking();
  await nextFrame();
  const start = performance.now();
  const rows = JSON.parse(text) as JsonRow[];
  const decoded = performance.now() - start;
  rows.sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1));
  const grid = mountGrid(rows, stage());
  await until(gridRows);
  grid.destroy();
  return { decode: decoded, rows: performance.now() - start, blocked: stop() };
}

const GRID_COLUMNS: ColDef<JsonRow>[] = [
  "plate",
  "plate_state",
  "make",
  "color",
  "body_type",
  "agency",
  "camera_name",
  "timestamp",
  "id",
].map((field) => ({ field: field as keyof JsonRow }));

function mountGrid(rows: JsonRow[], element: HTMLElement): GridApi<JsonRow> {
  ModuleRegistry.registerModules([AllCommunityModule]);
  const box = document.createElement("div");
  box.style.cssText = "width:1200px;height:700px";
  element.appendChild<Node>(box);
  return createGrid(box, { columnDefs: GRID_COLUMNS, rowData: rows, rowHeight: 36, animateRows: false });
}

async function ownStore(count: number): Promise<ResultsStore> {
  const bytes = await ownBytes(count);
  return createResultsStore(decodeColumns(new Uint8Array(bytes)));
}

/**
 * Returns the 95th percentile of the time of a jump, including two browser frames, which an empty page takes too.
 * Throws if no `row` is drawn within these frames.
 */
async function jumps(box: HTMLElement, row?: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 40; i++) {
    const start = performance.now();
    box.scrollTop = (((i * 7919) % 1000) / 1000) * (box.scrollHeight - box.clientHeight);
    await nextFrame();
    await nextFrame();
    times.push(performance.now() - start);
    const { left, top, width, height } = box.getBoundingClientRect();
    if (row && !document.elementFromPoint(left + width / 2, top + height / 2)?.closest(row)) {
      throw new Error("nothing is drawn after a jump");
    }
  }
  return p95(times);
}

/** Measures two frames in this run: an empty box as tall as ours. */
async function emptyScroll() {
  const element = stage();
  element.style.overflow = "auto";
  const content = document.createElement("div");
  content.style.cssText = `flex:none;height:${TALLEST_BOX}px`;
  element.appendChild<Node>(content);
  await nextFrame();
  return { scroll: await jumps(element) };
}

/** Returns the element that scrolls the rows. */
function scrollBoxOf(element: HTMLElement): HTMLElement {
  const found = [...element.querySelectorAll<HTMLElement>("*")].find(
    (one) =>
      one.scrollHeight > one.clientHeight + 1000 && /auto|scroll/.test(getComputedStyle(one).overflowY),
  );
  if (!found) throw new Error("nothing scrolls");
  return found;
}

async function ownTable(count: number) {
  await fonts();
  const store = await ownStore(count);
  const element = stage();
  await nextFrame();
  const start = performance.now();
  mountOwn(store, element);
  await until(ownRows);
  const mount = performance.now() - start;
  const box = scrollBoxOf(element);
  const scroll = await jumps(box, "[data-row]");
  box.scrollTop = 0;
  await nextFrame();
  const sorts: number[] = [];
  for (const key of ["plate", "camera", "make", "agency", "time"] as const) {
    const begin = performance.now();
    store.setSort({ key, descending: false } as never);
    await nextFrame();
    await nextFrame();
    sorts.push(performance.now() - begin);
  }
  return { mount, scroll, sort: Math.max(...sorts) };
}

async function gridTable(count: number) {
  await fonts();
  const rows = (await (await fetch(`/json/${count}`)).json()) as JsonRow[];
  const element = stage();
  await nextFrame();
  const start = performance.now();
  const grid = mountGrid(rows, element);
  await until(gridRows);
  const mount = performance.now() - start;
  const scroll = await jumps(scrollBoxOf(element));
  const sorts: number[] = [];
  for (const colId of ["plate", "camera_name", "make", "agency", "timestamp"]) {
    const begin = performance.now();
    grid.applyColumnState({ state: [{ colId, sort: "asc" }], defaultState: { sort: null } });
    const first = grid.getDisplayedRowAtIndex(0)?.data?.[colId as keyof JsonRow];
    if (first === undefined) throw new Error("the grid has not sorted");
    await nextFrame();
    await nextFrame();
    sorts.push(performance.now() - begin);
  }
  return { mount, scroll, sort: Math.max(...sorts) };
}

/** Measures a step of the slider on the canvas: filtering, counting by spot and drawing the markers. */
async function ownSlider(count: number) {
  const store = await ownStore(count);
  const { columns, pass } = store.get();
  const points = mapPoints(columns);
  const span = timeRange(points) as { from: number; to: number };
  const camera = fittedCamera(boundsOf(points, pass) as never, SIZE);
  const frame = frameOf(camera, SIZE);
  const look = { pixels: DENSE_MARKER_PIXELS, ratio: 1, palette: readPalette(), withLetter: false };
  const stamps = Array.from({ length: PROGRAM_COUNT }, (_, program) => stampOf(drawMarker(program, look)));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [SIZE.width, SIZE.height];
  stage().appendChild<Node>(canvas);
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  const raster = createRaster(SIZE.width, SIZE.height);
  const width = span.to - span.from;
  const times: number[] = [];
  for (let step = 0; step < STEPS * 2; step++) {
    await nextFrame();
    const start = performance.now();
    const from = span.from + width * (0.6 * (step / (STEPS * 2)));
    store.setFilter({ from, to: from + width * SHOWN });
    const state = store.get();
    countBySpot(points, state.pass);
    const slice = timeSlice(points, state.filter.from, state.filter.to);
    stampMarkers(raster, { points, slice, pass: state.pass, frame, ratio: 1, stamps });
    context.putImageData(raster.image, 0, 0);
    context.getImageData(0, 0, 1, 1);
    times.push(performance.now() - start);
  }
  return { step: median(times) };
}

async function clusterSlider(count: number) {
  const rows = (await (await fetch(`/json/${count}`)).json()) as JsonRow[];
  const box = document.createElement("div");
  box.style.cssText = `width:${SIZE.width}px;height:${SIZE.height}px`;
  stage().appendChild<Node>(box);
  const map = L.map(box, { zoomAnimation: false, maxZoom: 19 }).setView([41.5, -72.7], 9);
  const group = L.markerClusterGroup({ animate: false, chunkedLoading: false });
  const times = rows.map((row) => Date.parse(row.timestamp));
  const markers = rows.map((row) => L.marker([row.latitude, row.longitude]));
  group.addLayers(markers);
  map.addLayer(group);
  const [first, last] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))];
  const steps: number[] = [];
  for (let step = 0; step < STEPS; step++) {
    await nextFrame();
    const start = performance.now();
    const from = first + (last - first) * (0.6 * (step / STEPS));
    const to = from + (last - first) * SHOWN;
    group.clearLayers();
    group.addLayers(
      markers.filter((_: unknown, i: number) => (times[i] as number) >= from && (times[i] as number) <= to),
    );
    steps.push(performance.now() - start);
  }
  return { step: median(steps) };
}

/** Returns the memory of the page in bytes, including array buffers. */
async function heap(): Promise<number> {
  const measure = (
    performance as unknown as { measureUserAgentSpecificMemory: () => Promise<{ bytes: number }> }
  ).measureUserAgentSpecificMemory;
  return (await measure.call(performance)).bytes;
}

async function ownHeap(count: number) {
  const before = await heap();
  const store = await ownStore(count);
  mountOwn(store, stage());
  await until(ownRows);
  return { bytes: (await heap()) - before };
}

async function gridHeap(count: number) {
  const before = await heap();
  const rows = (await (await fetch(`/json/${count}`)).json()) as JsonRow[];
  mountGrid(rows, stage());
  await until(gridRows);
  return { bytes: (await heap()) - before };
}

const runs = {
  ownLoad,
  jsonLoad,
  ownTable,
  gridTable,
  emptyScroll,
  ownSlider,
  clusterSlider,
  ownHeap,
  gridHeap,
};
export type Run = keyof typeof runs;
Object.assign(window, { runs });

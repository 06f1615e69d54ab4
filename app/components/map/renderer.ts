import { useState } from "react";
import { storedChoice } from "#app/components/ui/fields/stored-choice.ts";
import type { BasemapInfo } from "#app/entities/search/map/basemap.ts";

/** The renderer of the map: WebGL on a graphics card, or a 2D canvas. */
export type Renderer = "gpu" | "canvas";
export type RendererChoice = "automatic" | Renderer;

const CHOICES: readonly RendererChoice[] = ["automatic", "gpu", "canvas"];

/**
 * Returns whether the base map shows place names of its own. Vector tiles are drawn only by WebGL; the canvas shows the
 * embedded map instead.
 */
export function hasOwnNames(kind: BasemapInfo["kind"], renderer: Renderer): boolean {
  return kind === "raster" || (kind === "vector" && renderer === "gpu");
}

/** WebGL renderers that run on the CPU: they take seconds where a canvas takes milliseconds. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|basic render|software|mesa offscreen/i;

/** Returns whether a WebGL renderer name (UNMASKED_RENDERER_WEBGL) belongs to a graphics card. */
export function isHardware(renderer: string): boolean {
  return renderer !== "" && !SOFTWARE.test(renderer);
}

/** Returns the WebGL support of this browser: "none" without WebGL, "software" if WebGL runs on the CPU. */
function detectWebGl(): "hardware" | "software" | "none" {
  try {
    const gl = document.createElement("canvas").getContext("webgl2");
    if (!gl) return "none";
    const names = gl.getExtension("WEBGL_debug_renderer_info");
    const name = String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
    gl.getExtension("WEBGL_lose_context")?.loseContext();
    return isHardware(name) ? "hardware" : "software";
  } catch {
    return "none";
  }
}

/** The user's choice of renderer, made on the profile screen. */
export const rendererChoice = storedChoice<RendererChoice>(
  "odin-map-renderer",
  (text) => CHOICES.find((choice) => choice === text) ?? "automatic",
);

/**
 * Returns the renderer to use, a function that falls back to the canvas when WebGL fails, and whether the map is drawn
 * on the canvas because there is no WebGL.
 */
export function useRenderer(): { renderer: Renderer; fail: () => void; isFallback: boolean } {
  const choice = rendererChoice.use();
  const [support] = useState(detectWebGl);
  const [hasFailed, setFailed] = useState(false);
  const automatic = support === "hardware" ? "gpu" : "canvas";
  const wanted = choice === "automatic" ? automatic : choice;
  const isMissing = support === "none" && choice !== "canvas";
  return {
    renderer: hasFailed || isMissing ? "canvas" : wanted,
    fail: () => setFailed(true),
    isFallback: hasFailed || isMissing,
  };
}

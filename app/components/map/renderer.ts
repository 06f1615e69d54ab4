import { useState } from "react";
import { storedChoice } from "#app/components/ui/fields/stored-choice.ts";

/** What draws the map: WebGL on a graphics card, or a 2D canvas. */
export type Renderer = "gpu" | "canvas";
export type RendererChoice = "automatic" | Renderer;

const CHOICES: readonly RendererChoice[] = ["automatic", "gpu", "canvas"];

/** WebGL renderers that run on the CPU: they take seconds where a canvas takes milliseconds. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|basic render|software|mesa offscreen/i;

/** Returns whether a WebGL renderer name (UNMASKED_RENDERER_WEBGL) belongs to a graphics card. */
export function isHardware(renderer: string): boolean {
  return renderer !== "" && !SOFTWARE.test(renderer);
}

function detected(): Renderer {
  try {
    const gl = document.createElement("canvas").getContext("webgl2");
    if (!gl) return "canvas";
    const names = gl.getExtension("WEBGL_debug_renderer_info");
    const name = String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
    gl.getExtension("WEBGL_lose_context")?.loseContext();
    return isHardware(name) ? "gpu" : "canvas";
  } catch {
    return "canvas";
  }
}

/** The user's choice of renderer, made on the profile screen. */
export const rendererChoice = storedChoice<RendererChoice>(
  "odin-map-renderer",
  (text) => CHOICES.find((choice) => choice === text) ?? "automatic",
);

/** Returns the renderer to use, and a function that falls back to the canvas when WebGL fails. */
export function useRenderer(): { renderer: Renderer; fail: () => void } {
  const choice = rendererChoice.use();
  const [own] = useState(detected);
  const [hasFailed, setFailed] = useState(false);
  const wanted = choice === "automatic" ? own : choice;
  return { renderer: hasFailed ? "canvas" : wanted, fail: () => setFailed(true) };
}

import { useState } from "react";

/** What draws the map: WebGL on a graphics card, or a 2D canvas. */
export type Renderer = "gpu" | "canvas";
export type RendererChoice = "automatic" | Renderer;

const KEY = "odin-map-renderer";
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

function stored(): RendererChoice {
  try {
    const text = localStorage.getItem(KEY);
    return CHOICES.find((choice) => choice === text) ?? "automatic";
  } catch {
    return "automatic";
  }
}

/** Returns the user's choice, stored in this browser, and the renderer to use. */
export function useRenderer() {
  const [choice, setChoice] = useState(stored);
  const [own] = useState(detected);
  const [hasFailed, setFailed] = useState(false);
  const wanted = choice === "automatic" ? own : choice;
  return {
    choice,
    renderer: hasFailed ? "canvas" : wanted,
    choose: (next: RendererChoice) => {
      setChoice(next);
      setFailed(false);
      try {
        localStorage.setItem(KEY, next);
      } catch {
        // Storage may be blocked; then the choice is not stored.
      }
    },
    /** Falls back to the canvas when WebGL fails. */
    fail: () => setFailed(true),
  } as const;
}

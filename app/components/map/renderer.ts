import { useState } from "react";

/** What draws the map: WebGL where there is a graphics card, else a 2-D canvas; or what the user has chosen. */
export type Renderer = "gpu" | "canvas";
export type RendererChoice = "automatic" | Renderer;

const KEY = "odin-map-renderer";
const CHOICES: readonly RendererChoice[] = ["automatic", "gpu", "canvas"];

/** Renderers of WebGL that run on the processor: they need seconds where a canvas needs milliseconds. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|basic render|software|mesa offscreen/i;

/** Whether a name of WebGL's UNMASKED_RENDERER stands for a graphics card. */
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

/** The user's choice, remembered in this browser, and the renderer that follows from it and from the machine. */
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
        // Storage may be forbidden: then nothing is remembered.
      }
    },
    /** WebGL was promised and did not come. */
    fail: () => setFailed(true),
  } as const;
}

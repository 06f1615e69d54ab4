import { useEffect, useState } from "react";
import type { PerProgram } from "#app/entities/search/query.ts";

export type Rgb = readonly [number, number, number];

/** The colors of the theme as numbers, for canvases and WebGL. */
export type Palette = {
  water: Rgb;
  land: Rgb;
  neighbor: Rgb;
  countyLine: Rgb;
  stateLine: Rgb;
  road: Rgb;
  building: Rgb;
  /** Names of rivers and lakes. */
  waterLabel: Rgb;
  label: Rgb;
  /** Outline of labels, readable on any background. */
  halo: Rgb;
  programs: PerProgram<Rgb>;
  ring: Rgb;
  /** Outline of the ring, for backgrounds of similar lightness. */
  outline: Rgb;
  selected: Rgb;
  current: Rgb;
  hit: Rgb;
  track: Rgb;
  badge: Rgb;
  onBadge: Rgb;
  /** From few to many. */
  density: readonly [Rgb, Rgb, Rgb];
};

const mix = (color: string, share: number, ground: string) =>
  `color-mix(in srgb, var(--color-${color}) ${share}%, var(--color-${ground}))`;

/** Land has the page background in the light theme and the raised color in the dark theme, since water must be darker. */
const sources = (ground: "surface" | "raised") => ({
  water: mix("accent", ground === "surface" ? 20 : 3, "sunken"),
  land: ground === "surface" ? "var(--color-surface)" : mix("hover", 50, "raised"),
  neighbor: mix("sunken", 60, ground),
  countyLine: mix("line-strong", 42, ground),
  stateLine: mix("line-strong", 92, ground),
  road: mix("line-strong", 55, ground),
  building: mix("line-strong", ground === "surface" ? 26 : 22, ground),
  waterLabel: mix("accent", 55, "text"),
  label: mix("text", 82, ground),
  halo: `var(--color-${ground})`,
  outline: mix("line-strong", 75, ground),
  rekor: "var(--color-rekor)",
  axon: "var(--color-axon)",
  axis: "var(--color-axis)",
  selected: "var(--color-accent)",
  current: "var(--color-focus)",
  hit: "var(--color-hit)",
  track: "var(--color-accent-strong)",
  badge: "var(--color-text)",
  onBadge: "var(--color-raised)",
  few: mix("accent", 30, "raised"),
  some: mix("accent", 65, "raised"),
  many: "var(--color-accent-strong)",
});

/** Reads the current colors. Converts any CSS color by painting a canvas pixel. */
export function readPalette(): Palette {
  const probe = document.createElement("span");
  probe.hidden = true;
  // In forced colors, every color would be read as the color of text.
  probe.style.setProperty("forced-color-adjust", "none");
  document.body.appendChild<Node>(probe);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("The browser has no 2D canvas.");
  const resolved = (css: string): Rgb => {
    probe.style.color = css;
    context.fillStyle = getComputedStyle(probe).color;
    context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
    return [red, green, blue];
  };
  const isLight = luminance(resolved("var(--color-raised)")) > 0.5;
  const { rekor, axon, axis, few, some, many, ...rest } = Object.fromEntries(
    Object.entries(sources(isLight ? "surface" : "raised")).map(([name, css]) => [name, resolved(css)]),
  ) as Record<keyof ReturnType<typeof sources>, Rgb>;
  // A white ring in the light theme; the text color in the dark theme, to avoid glare.
  const ring = resolved(isLight ? "var(--color-raised)" : "var(--color-text)");
  probe.remove();
  return { ...rest, programs: [rekor, axon, axis], ring, density: [few, some, many] };
}

function luminance([red, green, blue]: Rgb): number {
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

/** `rgb(1 2 3 / 0.5)`. */
export function css([red, green, blue]: Rgb, alpha = 1): string {
  return `rgb(${red} ${green} ${blue} / ${alpha})`;
}

/** Returns the palette of the theme; updates when the theme changes. */
export function usePalette(): Palette {
  const [palette, setPalette] = useState(readPalette);
  useEffect(() => {
    const update = () => setPalette(readPalette());
    const observer = new MutationObserver(update);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", update);
    return () => {
      observer.disconnect();
      system.removeEventListener("change", update);
    };
  }, []);
  return palette;
}

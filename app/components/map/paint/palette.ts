import { useEffect, useState } from "react";

export type Rgb = readonly [number, number, number];

/** The theme's colours as numbers, which is how canvases and WebGL want them. */
export type Palette = {
  water: Rgb;
  land: Rgb;
  neighbour: Rgb;
  countyLine: Rgb;
  stateLine: Rgb;
  road: Rgb;
  label: Rgb;
  /** Around labels, so that they can be read on any ground. */
  halo: Rgb;
  /** Rekor, Axon, Axis, in the order of SOURCE_PROGRAMS. */
  programs: readonly [Rgb, Rgb, Rgb];
  ring: Rgb;
  /** Around the ring, where the ground is as light as it. */
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

/** Land is the page's own ground by day; at night it is the lighter one, for water must be darker than it. */
const sources = (ground: "surface" | "raised") => ({
  water: mix("accent", ground === "surface" ? 20 : 3, "sunken"),
  land: ground === "surface" ? "var(--color-surface)" : mix("hover", 50, "raised"),
  neighbour: mix("sunken", 60, ground),
  countyLine: mix("line-strong", 42, ground),
  stateLine: mix("line-strong", 92, ground),
  road: mix("line-strong", 55, ground),
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
  few: mix("warn", 35, "raised"),
  some: "var(--color-warn)",
  many: "var(--color-hit)",
});

/** Reads the colours as they are now. A pixel of a canvas tells what any CSS colour means. */
export function readPalette(): Palette {
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.appendChild<Node>(probe);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const context = canvas.getContext("2d", { willReadFrequently: true }) as CanvasRenderingContext2D;
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
  // A white ring by day; the text's own light on dark ground: night must not glare.
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

/** The palette of the theme, again when the theme changes. */
export function usePalette(): Palette {
  const [palette, setPalette] = useState(readPalette);
  useEffect(() => {
    const again = () => setPalette(readPalette());
    const observer = new MutationObserver(again);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", again);
    return () => {
      observer.disconnect();
      system.removeEventListener("change", again);
    };
  }, []);
  return palette;
}

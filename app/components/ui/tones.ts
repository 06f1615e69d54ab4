export type Tone = "neutral" | "accent" | "hit" | "warn" | "ok" | "rekor" | "axon" | "axis";

/** Text on its soft background. */
export const TONES: Record<Tone, string> = {
  neutral: "bg-sunken text-muted",
  accent: "bg-accent-soft text-accent",
  hit: "bg-hit-soft text-hit",
  warn: "bg-warn-soft text-warn",
  ok: "bg-ok-soft text-ok",
  rekor: "bg-rekor-soft text-rekor",
  axon: "bg-axon-soft text-axon",
  axis: "bg-axis-soft text-axis",
};

/** The plain color, as text. */
export const TONE_TEXT: Record<Tone, string> = {
  neutral: "text-muted",
  accent: "text-accent",
  hit: "text-hit",
  warn: "text-warn",
  ok: "text-ok",
  rekor: "text-rekor",
  axon: "text-axon",
  axis: "text-axis",
};

/**
 * Layouts of state and vendor files whose lines name no columns. The positions are those of openalpr_hotlist_import's
 * parsers (facts only). `checks` tell which layout a file has: what its lines have at places that differ.
 */

import type { Preset } from "./preset-parts.ts";
import { DELIMITED_PRESETS } from "./presets-delimited.ts";
import { FIXED_PRESETS } from "./presets-fixed.ts";

export const PRESETS = { ...DELIMITED_PRESETS, ...FIXED_PRESETS } satisfies Record<string, Preset>;
export type PositionalPreset = keyof typeof PRESETS;

export function isPositionalPreset(preset: string): preset is PositionalPreset {
  return Object.hasOwn(PRESETS, preset);
}

/** A table entry as its type says, with the optional parts. */
export function presetOf(name: PositionalPreset): Preset {
  return PRESETS[name];
}

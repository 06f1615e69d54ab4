/**
 * Layouts of state and vendor files without a heading line. The positions are those of openalpr_hotlist_import's
 * parsers (facts only). `checks` tell the layouts apart by the content of certain positions.
 */

import type { Preset } from "./preset-parts.ts";
import { DELIMITED_PRESETS } from "./presets-delimited.ts";
import { FIXED_PRESETS } from "./presets-fixed.ts";

export const PRESETS = { ...DELIMITED_PRESETS, ...FIXED_PRESETS } satisfies Record<string, Preset>;
export type PositionalPreset = keyof typeof PRESETS;

export function isPositionalPreset(preset: string): preset is PositionalPreset {
  return Object.hasOwn(PRESETS, preset);
}

/** Returns a preset by name, typed with its optional parts. */
export function presetOf(name: PositionalPreset): Preset {
  return PRESETS[name];
}

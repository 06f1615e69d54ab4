/**
 * Layouts of state and vendor files without a heading line. The positions are those of openalpr_hotlist_import's
 * parsers (facts only). `checks` tell the layouts apart by the content of certain positions.
 */

import type { Preset } from "./preset-parts.ts";
import { DELIMITED_PRESETS } from "./presets-delimited.ts";
import { FIXED_PRESETS } from "./presets-fixed.ts";

/** All layouts of files without a heading line, by preset. */
export const PRESETS = { ...DELIMITED_PRESETS, ...FIXED_PRESETS } satisfies Record<string, Preset>;
export type PositionalPreset = keyof typeof PRESETS;

/** Returns whether a preset's files have no heading line, so that only positions identify their columns. */
export function isPositionalPreset(preset: string): preset is PositionalPreset {
  return Object.hasOwn(PRESETS, preset);
}

/** Returns a preset by name, typed with its optional parts. */
export function presetOf(name: PositionalPreset): Preset {
  return PRESETS[name];
}

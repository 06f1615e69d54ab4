import { createWorld, type World } from "./world/world.ts";

/** Variables and secret of this Worker. */
export interface Env {
  VENDOR_SECRET: string;
  WORLD_SEED?: string;
  WORLD_READS_PER_DAY?: string;
  /** JSON list of faults that apply from the start; see faults.ts. */
  FAULTS?: string;
}

const worlds = new Map<string, World>();

/** Returns the world of this configuration, created once. */
export function worldOf(env: Env): World {
  const seed = Number(env.WORLD_SEED) || 1;
  const readsPerDay = Number(env.WORLD_READS_PER_DAY) || 250;
  const key = `${seed}/${readsPerDay}`;
  const known = worlds.get(key) ?? createWorld({ seed, readsPerDay });
  worlds.set(key, known);
  return known;
}

/** Returns a matcher of whole plates; `*` matches any number of characters, `?` exactly one. */
export function plateMatcher(pattern: string): (plate: string) => boolean {
  const wanted = pattern.toUpperCase();
  if (!/[*?]/.test(wanted)) return (plate) => plate === wanted;
  const escaped = wanted
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replace(/\?/g, ".");
  const expression = new RegExp(`^${escaped}$`);
  return (plate) => expression.test(plate);
}

export function jpegResponse(bytes: Uint8Array): Response {
  return new Response(bytes as Uint8Array<ArrayBuffer>, {
    headers: { "content-type": "image/jpeg", "content-length": String(bytes.length) },
  });
}

/** Returns the parts of a path, decoded; a part with an invalid escape stays as it is. */
export function segments(path: string): string[] {
  return path
    .split("/")
    .filter(Boolean)
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });
}

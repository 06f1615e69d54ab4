import { Badge } from "#app/components/ui/badge.tsx";
import type { Tone } from "#app/components/ui/tones.ts";

const TONE_OF: Record<string, Tone> = { GET: "ok", DELETE: "hit" };

/** The method of a call; reading and deleting methods stand out. */
export function MethodMark({ method }: { method: string }) {
  return (
    <Badge tone={TONE_OF[method] ?? "accent"} className="min-w-16 justify-center font-mono">
      {method}
    </Badge>
  );
}

// The overview of integrations: for each program, how many there are and whether they work.

import type { AppContext } from "#app/context.ts";
import { axisCamerasOf } from "#app/domain/ingest/axis-cameras.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { SourceProgram } from "#app/entities/search/query.ts";
import { counted } from "#app/lib/number-text.ts";
import { axonIntegration } from "./axon.ts";
import { rekorKeysOf } from "./rekor-keys.ts";

export type ProgramSummary = { program: SourceProgram; to: string; lead: string; state: string };

/** Returns, for each program, what the actor's agency has and whether any of it fails, in words for the screen. */
export async function integrationsOverview(app: AppContext, actor: Actor): Promise<ProgramSummary[]> {
  const [keys, { existing_integration: axon }, all] = await Promise.all([
    rekorKeysOf(app, actor),
    axonIntegration(app, actor),
    axisCamerasOf(app, actor),
  ]);
  const failing = keys.filter(({ health }) => health.state === "failing" || health.state === "paused").length;
  const cameras = all.filter(({ revoked_at }) => revoked_at === null);
  const silent = cameras.filter((camera) => camera.silent).length;
  const axonFails = axon && (axon.health.state === "failing" || axon.health.state === "paused");
  return [
    {
      program: "Rekor",
      to: "/integrations/rekor",
      lead: "API keys, each for the reads of one agency, and webhooks for live reads.",
      state: `${counted(keys.length, "API key")}${failing > 0 ? `, ${failing} failing` : ""}`,
    },
    {
      program: "Axon",
      to: "/integrations/axon",
      lead: "Your agency's connection, and which other agencies can search it.",
      state: axon ? `Connected${axonFails ? ", failing" : ""}` : "Not connected",
    },
    {
      program: "Axis",
      to: "/integrations/axis",
      lead: "Your own cameras, their webhook addresses, and the agencies that their reads are shared with.",
      state: `${counted(cameras.length, "camera")}${silent > 0 ? `, ${silent} silent` : ""}`,
    },
  ];
}

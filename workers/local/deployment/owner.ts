import type { DeploymentConfig } from "./check.ts";

/**
 * Returns the username of the first owner: OWNER_USERNAME of wrangler.toml, which alone decides who owns the product.
 * Throws if it is not set, or if `--username` is someone else: that user would be an agency's administrator only.
 */
export function ownerUsername({ vars }: Pick<DeploymentConfig, "vars">, given?: string): string {
  const owner = String(vars.OWNER_USERNAME ?? "").toLowerCase();
  if (owner === "") throw new Error("OWNER_USERNAME is not set in wrangler.toml.");
  if (given !== undefined && given.toLowerCase() !== owner)
    throw new Error(`OWNER_USERNAME in wrangler.toml is "${owner}": "${given}" would not own Odin.`);
  return owner;
}

import { publicAddressProblem } from "./public-address.ts";

/**
 * Why Odin must not post to a push endpoint that a browser gave, or undefined where it may: https to a public host.
 * With some services the subscription stands in a query, which says nothing about the host.
 */
export function pushEndpointProblem(endpoint: string, rule: { allowLoopback: boolean }): string | undefined {
  if (endpoint.includes("#")) return "The address must not hold a fragment.";
  if (!/^[\x21-\x7e]*$/.test(endpoint)) return "The address must be plain text without spaces.";
  return publicAddressProblem(endpoint.split("?")[0] as string, rule);
}

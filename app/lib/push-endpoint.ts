import { publicAddressProblem } from "./public-address.ts";

/**
 * Returns why Odin must not post to a push endpoint that a browser named, or undefined if it may: https to one of the
 * hosts of push services (PUSH_HOSTS). Some services put the subscription into the query, which says nothing about the
 * host.
 */
export function pushEndpointProblem(
  endpoint: string,
  rule: { allowLoopback: boolean; hosts: readonly string[] },
): string | undefined {
  if (endpoint.includes("#")) return "The address must not contain a fragment.";
  if (!/^[\x21-\x7e]*$/.test(endpoint)) return "The address must be plain text without spaces.";
  return publicAddressProblem(endpoint.replace(/\?.*$/, ""), rule);
}

/** The state of a limit after it was counted. */
export type RateLimit = {
  policy: string;
  /** Events per window, and the window in seconds. */
  quota: number;
  windowSeconds: number;
  remaining: number;
  /** Seconds until the whole quota is available again, if known. */
  resetSeconds?: number;
};

/**
 * Returns the values of the header fields `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10):
 * lists of strings with parameters (RFC 9651), one item per policy.
 */
export function rateLimitFields(limits: readonly RateLimit[]): { policy: string; limit: string } {
  const item = (name: string, parameters: [string, number | undefined][]) => {
    const written = parameters.map(([key, value]) => (value === undefined ? "" : `;${key}=${value}`));
    return `"${name.replace(/[^\w-]/g, "-")}"${written.join("")}`;
  };
  return {
    policy: limits
      .map(({ policy, quota, windowSeconds }) =>
        item(policy, [
          ["q", quota],
          ["w", windowSeconds],
        ]),
      )
      .join(", "),
    limit: limits
      .map(({ policy, remaining, resetSeconds }) =>
        item(policy, [
          ["r", remaining],
          ["t", resetSeconds],
        ]),
      )
      .join(", "),
  };
}

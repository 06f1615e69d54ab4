import { useEffect, useLayoutEffect } from "react";

/**
 * A layout effect that React does not warn about on the server. Key listeners are added in it, because a key can be
 * pressed between the paint and an ordinary effect.
 */
export const useBrowserLayoutEffect = typeof document === "undefined" ? useEffect : useLayoutEffect;

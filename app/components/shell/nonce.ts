import { createContext } from "react";

/**
 * The nonce of the response's content security policy, during server rendering. In the browser it is empty: browsers hide
 * nonces from the document, so hydration compares empty with empty.
 */
export const NonceContext = createContext("");

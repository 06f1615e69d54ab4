import { createContext } from "react";

/**
 * The nonce of the response's content security policy, during server rendering. In the browser it is empty: browsers hide
 * nonces from the document, so hydration compares empty with empty.
 */
export const NonceContext = createContext("");

/**
 * The id of the request that this document answers. The server takes it from its log, the browser from the document, so
 * that both render the same text.
 */
export const RequestIdContext = createContext("");

import { createContext } from "react";

/**
 * The id of the request that this document answers. The server takes it from its log, the browser from the document, so
 * that both render the same text.
 */
export const RequestIdContext = createContext("");

import { createContext } from "react";

/**
 * The nonce of this answer's content policy, while the server renders. The browser hides it from the document, so
 * there it is empty, and hydration compares empty with empty.
 */
export const NonceContext = createContext("");

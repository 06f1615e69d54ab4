/**
 * The first migrations from which on every one is additive, as docs/operations.md says: a build that knows all earlier
 * ones also works after later ones, so that it can be rolled back to.
 */
export const ADDITIVE_FROM = { control: 14, reads: 4 };

/**
 * The first migrations from which all are additive (docs/operations.md): a build that knows all earlier migrations also
 * works after later ones, so the installation can be rolled back to that build.
 */
export const ADDITIVE_FROM = { control: 14, reads: 4 };

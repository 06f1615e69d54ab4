/** The header that tells a page which build its data comes from: the version of Remix's manifest. */
export const BUILD_HEADER = "odin-build";

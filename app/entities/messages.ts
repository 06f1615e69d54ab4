/** Texts of the specification, word for word, each in one place. */
export const MESSAGES = {
  loginFailed: "Login failed",
  loginNetwork: "Login failed due to a network error.",
  logoutFailed: "Logout failed.",
  logoutNetwork: "Logout failed due to a network error.",
  searchRequired: "Justification and date range are required.",
  searchFailed: "Search failed.",
  searching: "Please wait while Odin searches...",
  noResults: "No results found.",
  invalidTimestamp: "Invalid timestamp",
  missing: "N/A",
  unavailable: "Unavailable",
  imageUnavailable: "Vehicle image unavailable",
  routerError: "Unexpected Application Error!",
  accessDenied: "Access Denied",
} as const;
